/* Types of structures of numbers; c_object.c has the variables.
 *
 * A member is known by its place among the scalars of the structure, which is
 * C's layout if all have one type, since there is no padding then; and by its
 * place among the members that are no structures.
 *
 * A structure may have what cannot be used, such as a pointer. The reason is
 * remembered, and is told where a variable of the structure is used.
 *
 * Structures are never stored as such: an array of structures of one type is an
 * array with one more dimension, any other becomes a variable for each member.
 * So only places and counts matter.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* ------------------------------------------------------------------- layout */

/* Attributes, in whatever spelling, by their names; their arguments are not
 * read.
 */
bool fe_c_changes_layout(const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	static const char *const word[] = {
		"packed", "__packed__", "aligned", "__aligned__", "_Alignas",
		"mode", "__mode__", "vector_size", "__vector_size__",
		"scalar_storage_order"
	};
	size_t i;

	for (; t < end; t++)
		for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
			if (fe_c_is(t, word[i]))
				return true;
	return false;
}

/* -------------------------------------------------------------------- types */

static const char *text_of(struct fe_c_parse *p, const struct fe_c_token *t)
{
	return fe_arena_text(&p->u->arena, t->text, (size_t)t->len);
}

/* The four texts in one, which belongs to the unit.
 *
 * For messages.
 */
static const char *join(struct fe_c_parse *p, const char *a, const char *b,
	const char *c, const char *d)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
	char *text = fe_arena_alloc(&p->u->arena, size);

	snprintf(text, size, "%s%s%s%s", a, b, c, d);
	return text;
}

/* The structure has a member that it may not have.
 *
 * The first reason stays.
 */
static void spoil(struct fe_c_parse *p, struct fe_c_struct *s,
	const char *name, const char *why)
{
	if (!s->bad)
		s->bad = join(p, "of a structure whose member '", name,
			"' is ", why);
}

/* Why the member cannot be used, or NULL; sets how many "times" it is there.
 *
 * Dimensions of members are counted with those around, hence one less.
 */
static const char *judge(const struct fe_c_member_text *m, int64_t *times)
{
	int64_t n;
	int d;

	*times = 1;
	if (m->bad)
		return m->bad;
	if (m->n_dim + 1 >= FE_C_MAX_RANK)
		return "an array of more than 6 dimensions";
	for (d = 0; d < m->n_dim; d++)
		if (!m->dim[d] || !fe_c_constant(m->dim[d], &n) || n < 1 ||
		    __builtin_mul_overflow(*times, n, times) ||
		    *times > FE_C_MAX_SCALARS)
			return "an array without a constant extent";
	return NULL;
}

/* For x >= 0 and by >= 1. */
static int64_t round_up(int64_t x, int64_t by)
{
	return (x + by - 1) / by * by;
}

/* Add "n" scalars of "type", "size" bytes in all, which "align" bytes divide.
 *
 * Natural alignment, as in the ABIs of Linux.
 */
static void count(struct fe_c_struct *s, enum poly_type type, int64_t n,
	int64_t size, int64_t align)
{
	s->size = round_up(s->size, align) + size;
	s->align = s->align > align ? s->align : align;
	if (s->n && type != s->type)
		s->is_mixed = true;
	s->type = type;
	s->n += n;
}

/* Those of a structure without a name are members like others.
 *
 * With their places moved behind what "s" has.
 */
static void add_members_of(struct fe_c_parse *p, struct fe_c_struct *s,
	const struct fe_c_struct *inner)
{
	const struct fe_c_member *m;

	for (m = inner->first; m; m = m->next) {
		struct fe_c_member *copy = fe_arena_alloc(&p->u->arena,
			sizeof(*copy));

		*copy = *m;
		copy->next = NULL;
		copy->at += s->n;
		copy->byte += round_up(s->size, inner->align);
		copy->field += s->n_field;
		*s->last = copy;
		s->last = &copy->next;
	}
}

/* Append the member "text" to "s", at the next scalar and, as C aligns it, at
 * its byte. Without a name, a structure's members become members of "s", and
 * other things only take up space.
 *
 * The structure grows by what it takes, named or not.
 */
static void add_member(struct fe_c_parse *p, struct fe_c_struct *s,
	const struct fe_c_member_text *text)
{
	const struct fe_c_struct *inner = text->st;
	struct fe_c_member *m = fe_arena_alloc(&p->u->arena, sizeof(*m));
	int64_t times, one = inner ? inner->size : poly_type_size(text->type);
	int64_t align = inner ? inner->align : one;
	const char *bad = judge(text, &times);

	if (bad) {
		spoil(p, s, text->name ? text_of(p, text->name) : "", bad);
		return;
	}
	if (text->name) {
		*m = (struct fe_c_member) { NULL, text_of(p, text->name),
			text->type, inner, text->n_dim, { NULL }, s->n,
			round_up(s->size, align), s->n_field };
		memcpy(m->dim, text->dim, sizeof(m->dim));
		*s->last = m;
		s->last = &m->next;
	} else if (inner) {
		add_members_of(p, s, inner);
	}
	if (inner && inner->is_mixed)
		s->is_mixed = true;
	count(s, inner ? inner->type : text->type,
		times * (inner ? inner->n : 1), times * one, align);
	s->n_field += inner ? inner->n_field : 1;
	if ((s->n > FE_C_MAX_SCALARS || s->n_field > FE_C_MAX_FIELDS) &&
	    !s->bad)
		s->bad = "of a structure that is too large";
}

/* "{ type name, ..; .. }"
 *
 * Mistakes in here only spoil the structure: "quiet" keeps messages back.
 */
static void members(struct fe_c_parse *p, struct fe_c_struct *s)
{
	const struct fe_c_token *open = p->t++, *end = fe_c_skip(open);
	bool quiet = p->quiet, bad = p->bad;

	p->quiet = true;
	p->bad = false;
	while (!p->bad && !fe_c_is(p->t, "}") && p->t < end)
		fe_c_member_declaration(p, s, add_member);
	if (!s->bad && p->bad)
		s->bad = "of a structure that has more than numbers";
	if (!s->bad && !s->n)
		s->bad = "of a structure without members";
	if (!s->bad && fe_c_changes_layout(open, end))
		s->bad = "of a structure whose layout an attribute changes";
	if (!s->bad && open->packed)
		s->bad = "of a structure whose layout a pragma changes";
	s->size = round_up(s->size, s->align);
	p->quiet = quiet;
	p->bad = bad;
	p->t = end;
}

/* The structure of the tag "t" in the innermost scope that has one, or NULL.
 *
 * Tags have a space of names of their own in C.
 */
static struct fe_c_name *find_tag(struct fe_c_parse *p,
	const struct fe_c_token *t)
{
	struct fe_c_name *n;

	for (n = p->names; n; n = n->next)
		if (n->is_tag && n->len == t->len &&
		    !memcmp(n->text, t->text, (size_t)t->len))
			return n;
	return NULL;
}

/* NULL if nothing has the tag. */
const struct fe_c_struct *fe_c_known_tag(struct fe_c_parse *p,
	const struct fe_c_token *tag)
{
	const struct fe_c_name *n = find_tag(p, tag);

	return n ? n->tag : NULL;
}

/* A new structure, not defined yet, in the current scope if it has a tag.
 *
 * Until it is defined it has the reason "bad".
 */
static struct fe_c_struct *new_struct(struct fe_c_parse *p,
	const struct fe_c_token *tag)
{
	struct fe_c_struct *s = fe_arena_alloc(&p->u->arena, sizeof(*s));
	struct fe_c_name *n;

	s->name = tag ? join(p, "struct ", text_of(p, tag), "", "") :
		"the structure";
	s->last = &s->first;
	s->type = POLY_I8;
	s->align = 1;
	s->bad = "of a structure that the file does not define";
	if (!tag)
		return s;
	n = fe_arena_alloc(&p->u->arena, sizeof(*n));
	*n = (struct fe_c_name) { .next = p->names, .text = tag->text,
		.len = tag->len, .depth = p->depth, .is_tag = true, .tag = s };
	p->names = n;
	return s;
}

/* At "struct": a reference, or a definition. A tag in an inner block makes a
 * new one.
 */
const struct fe_c_struct *fe_c_struct_type(struct fe_c_parse *p)
{
	const struct fe_c_token *tag = NULL, *begin = p->t++;
	struct fe_c_name *n = NULL;
	struct fe_c_struct *s;

	fe_c_skip_attributes(p);
	if (p->t->kind == FE_C_NAME)
		tag = p->t++;
	if (tag)
		n = find_tag(p, tag);
	if (!fe_c_is(p->t, "{"))
		return n ? n->tag : tag ? new_struct(p, tag) : NULL;
	s = n && n->depth == p->depth && !n->tag->first ? n->tag :
		new_struct(p, tag);
	s->bad = fe_c_changes_layout(begin, p->t) ?
		"of a structure whose layout an attribute changes" : NULL;
	members(p, s);
	return s;
}

/* The member of "s" that the token names, or NULL.
 *
 * Linear.
 */
static const struct fe_c_member *find_member(const struct fe_c_struct *s,
	const struct fe_c_token *name)
{
	const struct fe_c_member *m;

	for (m = s->first; m; m = m->next)
		if (name->kind == FE_C_NAME &&
		    strlen(m->name) == (size_t)name->len &&
		    !memcmp(m->name, name->text, (size_t)name->len))
			return m;
	return NULL;
}

/* Suggests one that is like it. */
const struct fe_c_member *fe_c_named_member(struct fe_c_parse *p,
	const struct fe_c_struct *s)
{
	const struct fe_c_token *t = p->t++;
	const struct fe_c_member *m = find_member(s, t);
	struct fe_suggest near;
	const char *best = NULL;

	if (m)
		return m;
	near = fe_suggest_begin(t->text, (size_t)t->len);
	for (m = t->len < 3 ? NULL : s->first; m; m = m->next)
		if (fe_suggest_try(&near, m->name))
			best = m->name;
	FE_C_ERROR(p, FE_C_NO_MEMBER, &t->loc, s->name, t->len, t->text,
		best ? "; did you mean " : "", best ? best : "");
	return NULL;
}

/* How many there are of the member.
 *
 * 1 of a member that is no array.
 */
static int64_t times_of(const struct fe_c_member *m)
{
	int64_t n, times = 1;
	int d;

	for (d = 0; d < m->n_dim; d++)
		if (fe_c_constant(m->dim[d], &n))
			times *= n;
	return times;
}

/* Bytes of all copies of field "i" from the begin of the structure, "*n" of
 * them; NULL if they are too many. Arrays of structures multiply.
 */
const int64_t *fe_c_offsets(struct fe_unit *u, const struct fe_c_struct *s,
	int i, int64_t *n)
{
	int64_t *at = fe_arena_alloc(&u->arena, sizeof(*at)), *more, k, j;
	const struct fe_c_member *m;

	for (*n = 1; s; s = m->inner) {
		for (m = s->first; m->next && m->next->field <= i; )
			m = m->next;
		i -= m->field;
		k = times_of(m);
		if (*n * k > FE_C_MAX_FIELDS)
			return NULL;
		more = fe_arena_alloc(&u->arena, (size_t)(*n * k) *
			sizeof(*more));
		for (j = 0; j < *n * k; j++)
			more[j] = at[j / k] + m->byte + j % k * (m->inner ?
				m->inner->size : poly_type_size(m->type));
		at = more;
		*n *= k;
	}
	return at;
}

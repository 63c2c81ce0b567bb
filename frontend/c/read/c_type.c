/* Types of C: the words in front of declarators, the declarators, and names of
 * types in casts, "sizeof" and structures.
 *
 * The parser trusts its input to be C that a compiler accepts: what matters is
 * to know which types can be values here (numbers of up to 64 bits, structures
 * of these, arrays, single pointers), and to have a reason for all others. A
 * type that cannot be used is no error by itself: "bad" is told where a
 * variable of it is used.
 */
#include <string.h>

#include "frontend/c/read/decl.h"

/* "word" ends in NULL. */
static bool is_any(const struct fe_c_token *t, const char *const *word)
{
	for (; *word; word++)
		if (fe_c_is(t, *word))
			return true;
	return false;
}

/* they change nothing that is seen here */
static const char *const qualifier[] = {
	"volatile", "restrict", "__restrict", "__restrict__", "register", "inline", "__inline", "__inline__", "auto",
	"__extension__", "_Noreturn", "__volatile__", NULL
};
/* words that count_word counts */
static const char *const basic[] = {
	"void", "char", "short", "int", "long", "float", "double", "signed",
	"unsigned", "_Bool", "__signed__", "_Float16", "_Float32", "_Float64",
	"_Float32x", NULL
};
/* types that are none of a value here, and those that are read apart */
static const char *const other[] = {
	"struct", "union", "enum", "_Complex", "__complex__", "__int128",
	"__float128", "_Float128", "__builtin_va_list", "_Float64x", NULL
};
/* words that are kept in struct fe_c_specifiers */
static const char *const storage[] = {
	"const", "__const", "static", "typedef", "extern", NULL
};

/* True if a declaration begins here.
 *
 * By its first token; names of types are those in scope.
 */
bool fe_c_is_type(struct fe_c_parse *p)
{
	const struct fe_c_name *n;

	if (p->t->kind != FE_C_NAME)
		return false;
	if (is_any(p->t, qualifier) || is_any(p->t, basic) ||
	    is_any(p->t, other) || is_any(p->t, storage))
		return true;
	n = fe_c_find(p, p->t);
	return n && n->is_type;
}

/* ------------------------------------------------------------ specifiers */

/* How often each basic word was seen.
 *
 * "long long" counts twice, which makes no difference: both have 64 bits here.
 */
struct words {
	int is_void, is_char, is_short, is_int, is_long, is_half, is_float;
	int is_double;
	int is_signed, is_unsigned, is_bool;
};

/* Count the token in "w" if it is a word of a basic type.
 *
 * "int" says nothing that its absence does not.
 */
static void count_word(const struct fe_c_token *t, struct words *w)
{
	w->is_void += fe_c_is(t, "void");
	w->is_char += fe_c_is(t, "char");
	w->is_short += fe_c_is(t, "short");
	w->is_int += fe_c_is(t, "int");
	w->is_long += fe_c_is(t, "long");
	w->is_half += fe_c_is(t, "_Float16");
	w->is_float += fe_c_is(t, "float") || fe_c_is(t, "_Float32");
	w->is_double += fe_c_is(t, "double") || fe_c_is(t, "_Float64") ||
		fe_c_is(t, "_Float32x");
	w->is_signed += fe_c_is(t, "signed") || fe_c_is(t, "__signed__");
	w->is_unsigned += fe_c_is(t, "unsigned");
	w->is_bool += fe_c_is(t, "_Bool");
}

/* Set the type that the words "w", in whatever order they stood, make together.
 * Combinations that C forbids are taken as they come: a compiler has accepted
 * the file.
 *
 * Whether a plain char is signed, the ABI of the host says: on x86-64 it is, on AArch64
 * not.
 */
static void choose_type(const struct fe_c_parse *p, const struct words *w,
	struct fe_c_specifiers *s)
{
	bool u = w->is_unsigned > 0 || (w->is_char && !w->is_signed &&
		p->src->unsigned_char);

	s->is_void = w->is_void;
	if (w->is_double && w->is_long)
		s->bad = "a long double";
	else if (w->is_double)
		s->type = POLY_F64;
	else if (w->is_float)
		s->type = POLY_F32;
	else if (w->is_half)
		s->type = POLY_F16;
	else if (w->is_bool)
		s->type = POLY_BOOL;
	else if (w->is_char)
		s->type = u ? POLY_U8 : POLY_I8;
	else if (w->is_short)
		s->type = u ? POLY_U16 : POLY_I16;
	else if (w->is_long)
		s->type = u ? POLY_U64 : POLY_I64;
	else
		s->type = u ? POLY_U32 : POLY_I32;
}

/* Past "__attribute__((..))" and the like.
 *
 * False if there is none. What an attribute says about layouts
 * fe_c_changes_layout sees.
 */
static bool skip_attribute(struct fe_c_parse *p)
{
	static const char *const word[] = {
		"__attribute__", "__attribute", "_Alignas", "__asm__", "asm",
		"__asm", NULL
	};

	if (!is_any(p->t, word))
		return false;
	p->t++;
	if (fe_c_is(p->t, "("))
		p->t = fe_c_skip(p->t);
	return true;
}

void fe_c_skip_attributes(struct fe_c_parse *p)
{
	while (skip_attribute(p))
		;
}

/* Past "union name { .. }".
 *
 * What is in its braces is of no interest: its type cannot be used.
 */
static void skip_tagged(struct fe_c_parse *p)
{
	bool tagged = fe_c_is(p->t, "union");

	p->t++;
	while (tagged && skip_attribute(p))
		;
	if (tagged && p->t->kind == FE_C_NAME)
		p->t++;
	if (tagged && fe_c_is(p->t, "{"))
		p->t = fe_c_skip(p->t);
}

/* "enum { A, B = 3 }": the constants.
 *
 * Constants are ints. One that is no constant ends it, with the message of the
 * expression.
 */
static void enumeration(struct fe_c_parse *p)
{
	int64_t value = 0;

	p->t++;
	if (p->t->kind == FE_C_NAME)
		p->t++;
	if (!fe_c_accept(p, "{"))
		return;
	while (p->t->kind == FE_C_NAME) {
		struct fe_c_name *n = fe_c_bind(p, p->t++);

		if (fe_c_accept(p, "=")) {
			struct fe_c_expr *e = fe_c_expression(p);

			if (!e || !fe_c_constant(e, &value))
				return;
		}
		if (!n)
			return;
		n->is_constant = true;
		n->type = POLY_I32;
		n->bits = value;
		if (value != (int32_t)value)
			n->bad = "a constant that no int holds";
		/* in unsigned arithmetic, as the next of INT64_MAX is only
		 * refused if it is used
		 */
		value = (int64_t)((uint64_t)value + 1);
		if (!fe_c_accept(p, ","))
			break;
	}
	fe_c_expect(p, "}");
}

/* Why the type that the word names is none of a value.
 *
 * The text completes "a variable is declared as ..".
 */
static const char *why_not(const struct fe_c_token *t)
{
	static const char *const wide[] = {
		"__float128", "_Float128", "_Float64x", NULL
	};

	if (fe_c_is(t, "__int128"))
		return "an integer of 128 bits";
	if (fe_c_is(t, "union"))
		return "a union";
	if (fe_c_is(t, "_Complex") || fe_c_is(t, "__complex__"))
		return "a complex number";
	return is_any(t, wide) ? "a float of more than 64 bits" :
		"of a type that is not arithmetic";
}

/* All words in front of the first declarator; false if there are none.
 *
 * Any order of words: "const static unsigned x" is right in C. Of names only
 * the first can be the type, so that "typedef int T; T T;" is read right.
 */
bool fe_c_specifiers(struct fe_c_parse *p, struct fe_c_specifiers *s)
{
	const struct fe_c_token *first = p->t;
	struct words w = { 0 };
	const struct fe_c_name *n, *type = NULL;
	bool any = false;

	*s = (struct fe_c_specifiers) { .type = POLY_I32 };
	for (;;) {
		n = p->t->kind == FE_C_NAME ? fe_c_find(p, p->t) : NULL;
		if (is_any(p->t, storage)) {
			s->is_const |= fe_c_is(p->t, "const") ||
				fe_c_is(p->t, "__const");
			s->is_static |= fe_c_is(p->t, "static");
			s->is_typedef |= fe_c_is(p->t, "typedef");
			s->is_extern |= fe_c_is(p->t, "extern");
		} else if (is_any(p->t, basic)) {
			count_word(p->t, &w);
			any = true;
		} else if (fe_c_is(p->t, "enum")) {
			enumeration(p);
			any = true;
			continue;
		} else if (fe_c_is(p->t, "struct")) {
			s->st = fe_c_struct_type(p);
			any = true;
			continue;
		} else if (is_any(p->t, other)) {
			s->bad = why_not(p->t);
			any = true;
			skip_tagged(p);
			continue;
		} else if (!any && !type && n && n->is_type) {
			type = n;
		} else if (!is_any(p->t, qualifier)) {
			if (skip_attribute(p))
				continue;
			break;
		}
		p->t++;
	}
	s->is_odd = fe_c_changes_layout(first, p->t);
	if (type) {
		s->type = type->type;
		s->st = type->st;
		s->bad = type->bad;
		s->is_odd |= type->is_odd;
	} else if (!s->bad && !s->st) {
		choose_type(p, &w, s);
	}
	if (s->st)
		s->type = s->st->type;
	/* at the outermost level "x;" declares an int in old C */
	return p->t > first && (any || type || p->outer);
}

/* ------------------------------------------------------------ declarators */

/* Read one extent behind "[": nothing, "*", or an expression, perhaps behind
 * words such as "static".
 *
 * "*" and nothing both leave the extent open: NULL.
 */
static void dimension(struct fe_c_parse *p, struct fe_c_declarator *d)
{
	struct fe_c_expr *e = NULL;

	while (is_any(p->t, storage) || is_any(p->t, qualifier))
		p->t++;
	if (fe_c_is(p->t, "*") && fe_c_is(p->t + 1, "]"))
		p->t++;
	else if (!fe_c_is(p->t, "]"))
		e = fe_c_expression(p);
	if (!fe_c_expect(p, "]"))
		return;
	if (d->n_dim == FE_C_MAX_RANK)
		d->bad = "an array of more than 8 dimensions";
	else
		d->dim[d->n_dim++] = e;
}

/* Reads pointers, the name, brackets. "(*u)[3]" is an array of unknown first
 * extent. What is left behind a function's brackets is no value.
 */
void fe_c_declarator(struct fe_c_parse *p, struct fe_c_declarator *d)
{
	int n_pointer = 0;

	if (!fe_c_enter(p))
		return;
	while (fe_c_is(p->t, "*") || is_any(p->t, storage) ||
	       is_any(p->t, qualifier))
		n_pointer += fe_c_is(p->t++, "*");
	if (p->t->kind == FE_C_NAME) {
		d->name = p->t++;
	} else if (fe_c_accept(p, "(")) {
		fe_c_declarator(p, d);
		fe_c_expect(p, ")");
		if (d->n_pointer == 1 && d->n_dim == 0 &&
		    fe_c_is(p->t, "[")) {
			d->n_pointer = 0;
			d->dim[d->n_dim++] = NULL;
		}
	}
	while (skip_attribute(p))
		;
	while (!p->bad && fe_c_accept(p, "["))
		dimension(p, d);
	if (fe_c_is(p->t, "(")) {
		p->t = fe_c_skip(p->t);
		d->bad = "a function";
	}
	while (skip_attribute(p))
		;
	d->n_pointer += n_pointer;
	fe_c_leave(p);
}

/* Why a variable that is declared so cannot be used, or NULL. A single pointer
 * becomes an array.
 *
 * Sets d->dim for a pointer: float *x is float x[].
 */
const char *fe_c_judge(const struct fe_c_specifiers *s, struct fe_c_declarator *d)
{
	int i;

	if (d->bad)
		return d->bad;
	if (s->bad || (s->st && s->st->bad))
		return s->bad ? s->bad : s->st->bad;
	if (s->st && s->is_odd)
		return "of a structure whose layout an attribute changes";
	if (d->n_pointer == 1 && d->n_dim == 0) {
		d->n_pointer = 0;
		d->dim[d->n_dim++] = NULL;
	}
	if (d->n_pointer)
		return "a pointer to pointers";
	for (i = 1; i < d->n_dim; i++)
		if (!d->dim[i])
			return "an array without inner extents";
	if (s->is_void)
		return "void";
	return NULL;
}

/* ------------------------------------------------------------------ types */

/* Sets what the nest returns. */
void fe_c_return_type(struct fe_c_parse *p)
{
	struct fe_c_specifiers s;

	if (!fe_c_specifiers(p, &s))
		return;
	p->c->returns_other = s.bad || s.st || fe_c_is(p->t, "*");
	p->c->returns = !p->c->returns_other && !s.is_void;
	p->c->type = s.type;
}

/* The type of a parameter or local, without its declarator. "st" NULL:
 * structures are not wanted.
 */
bool fe_c_base_type(struct fe_c_parse *p, enum poly_type *type, bool *is_void,
	const char **bad, const struct fe_c_struct **st)
{
	struct fe_c_specifiers s;

	if (!fe_c_specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return false;
	}
	*type = s.type;
	*is_void = s.is_void;
	*bad = s.bad;
	if (s.st && !s.bad)
		*bad = !st ? "a structure" : s.st->bad ? s.st->bad : s.is_odd ?
			"of a structure whose layout an attribute changes" :
			NULL;
	if (st)
		*st = s.st;
	return true;
}

/* For casts and literals of structures; NULL, having reported. */
const struct fe_c_struct *fe_c_struct_name(struct fe_c_parse *p)
{
	const struct poly_loc *loc = &p->t->loc;
	struct fe_c_specifiers s;
	struct fe_c_declarator d = { 0 };
	const char *bad;

	if (!fe_c_specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return NULL;
	}
	bad = fe_c_judge(&s, &d);
	if (!bad && s.st && !s.st->bad)
		return s.st;
	FE_C_ERROR(p, FE_C_TYPE, loc, bad ? bad : "in braces here");
	return NULL;
}

/* A member of the type "s"; one without a name is a structure or a bit field.
 *
 * What cannot be used has "bad"; the rest of the declarator is skipped.
 */
static struct fe_c_member_text one_member(struct fe_c_parse *p,
	const struct fe_c_specifiers *s)
{
	struct fe_c_member_text m = { .type = s->type, .st = s->st };
	struct fe_c_declarator d = { 0 };
	bool is_bits, nameless = fe_c_is(p->t, ";");

	if (!nameless && !fe_c_is(p->t, ":"))
		fe_c_declarator(p, &d);
	is_bits = fe_c_is(p->t, ":");
	if (!d.name && !is_bits && !nameless)
		fe_c_unexpected(p, "a name");
	m.name = d.name;
	m.bad = d.bad ? d.bad : is_bits ? "a bit field" :
		d.n_pointer ? "a pointer" : fe_c_judge(s, &d);
	if (!m.bad && s->is_odd)
		m.bad = "of a layout that an attribute changes";
	while (p->t->kind != FE_C_END && !fe_c_is(p->t, ",") &&
	       !fe_c_is(p->t, ";") && !fe_c_is(p->t, "}"))
		p->t++;
	m.n_dim = d.n_dim;
	memcpy(m.dim, d.dim, sizeof(m.dim));
	return m;
}

/* A structure without a name and declarator has its members in "st" (C11
 * 6.7.2.1).
 */
void fe_c_member_declaration(struct fe_c_parse *p, struct fe_c_struct *st,
	void (*add)(struct fe_c_parse *p, struct fe_c_struct *s,
	const struct fe_c_member_text *m))
{
	struct fe_c_specifiers s;

	if (!fe_c_specifiers(p, &s) || s.is_typedef) {
		fe_c_unexpected(p, "a type");
		return;
	}
	/* "struct s { .. };" declares a type only */
	if (fe_c_is(p->t, ";") && !(s.st && fe_c_is(p->t - 1, "}") &&
	    strncmp(s.st->name, "struct ", 7))) {
		p->t++;
		return;
	}
	do {
		struct fe_c_member_text m = one_member(p, &s);

		if (!p->bad)
			add(p, st, &m);
	} while (!p->bad && fe_c_accept(p, ","));
	if (!p->bad)
		fe_c_expect(p, ";");
}

/* Of a cast to a pointer: float (*)[3] has the dimensions [], 3. void * is any.
 */
bool fe_c_pointer_type(struct fe_c_parse *p, struct fe_c_shape *shape)
{
	const struct poly_loc *loc = &p->t->loc;
	struct fe_c_declarator d = { 0 };
	struct fe_c_specifiers s;
	const char *bad;

	if (!fe_c_specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return false;
	}
	fe_c_declarator(p, &d);
	if (p->bad)
		return false;
	*shape = (struct fe_c_shape) { .is_void = s.is_void &&
		d.n_pointer == 1 && !d.n_dim };
	bad = shape->is_void ? NULL : fe_c_judge(&s, &d);
	if (bad || (!shape->is_void && !d.n_dim)) {
		FE_C_ERROR(p, FE_C_TYPE, loc, bad ? bad : "a pointer here");
		return false;
	}
	shape->type = s.type;
	shape->st = s.st;
	shape->n_dim = d.n_dim;
	memcpy(shape->dim, d.dim, sizeof(shape->dim));
	return true;
}

/* Of a cast to a number. */
bool fe_c_type_name(struct fe_c_parse *p, enum poly_type *type)
{
	const struct poly_loc *loc = &p->t->loc;
	struct fe_c_specifiers s;

	if (!fe_c_specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return false;
	}
	if (fe_c_is(p->t, "*")) {
		FE_C_ERROR(p, FE_C_POINTER, loc);
		return false;
	}
	if (s.bad || s.is_void || s.st) {
		FE_C_ERROR(p, FE_C_TYPE, loc, s.is_void ? "void" : s.st ?
			"a structure here" : s.bad);
		return false;
	}
	*type = s.type;
	return true;
}

/* Bytes: of a structure with one type of scalars its layout is known here. */
int64_t fe_c_type_size(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	struct fe_c_specifiers s;
	enum poly_type type;
	const char *bad;

	if (!fe_c_specifiers(p, &s) || !s.st || s.st->bad || s.is_odd) {
		p->t = t;
		return fe_c_type_name(p, &type) ?
			(int64_t)poly_type_size(type) : 0;
	}
	bad = s.st->is_mixed ? "a structure of several types here" : NULL;
	if (!bad && !fe_c_is(p->t, "*"))
		return s.st->n * (int64_t)poly_type_size(s.type);
	if (bad)
		FE_C_ERROR(p, FE_C_TYPE, &t->loc, bad);
	else
		FE_C_ERROR(p, FE_C_POINTER, &t->loc);
	return 0;
}

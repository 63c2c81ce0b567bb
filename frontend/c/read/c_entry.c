/* How the function of a C file is called: for an object that stands in its
 * place.
 *
 * Every value that the nest reads or writes must be one that a caller can
 * see: an argument, a variable with external linkage, or what is returned. Of a
 * function with a region nothing but declarations may stand outside of the
 * region, since they alone do nothing, and "return e;" behind it.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* The entry point that is being described. */
struct entry {
	struct fe_unit *u;
	struct fe_entry *e;
};

/* The name of an element type in headers that include stdint.h and stdbool.h.
 */
static const char *type_text(enum poly_type type)
{
	static const char *const text[] = {
		[POLY_F16] = "_Float16",
		[POLY_F32] = "float", [POLY_F64] = "double",
		[POLY_I8] = "signed char", [POLY_I16] = "short",
		[POLY_I32] = "int", [POLY_I64] = "int64_t",
		[POLY_U8] = "unsigned char", [POLY_U16] = "unsigned short",
		[POLY_U32] = "unsigned", [POLY_U64] = "uint64_t",
		[POLY_BOOL] = "bool"
	};

	return text[type];
}

/* --------------------------------------------------------------- prototypes */

/* True for a type that stddef.h or stdint.h declare. */
static bool is_standard(const struct fe_c_token *t)
{
	return (fe_c_is(t, "size_t") || fe_c_is(t, "ptrdiff_t") ||
		(t->len > 5 && (!memcmp(t->text, "int", 3) ||
		 !memcmp(t->text, "uint", 4)) &&
		 !memcmp(t->text + t->len - 2, "_t", 2)));
}

static bool is_word(const struct fe_c_token *t)
{
	return t->kind == FE_C_NAME || t->kind == FE_C_NUMBER;
}

/* Add one token of the prototype to "out", with a space where two words would
 * run together and the basic type in place of a name that a typedef gives.
 */
static void add_token(struct fe_c_parse *p, const struct fe_c_token *t,
	struct poly_str *out)
{
	const struct fe_c_name *n = t->kind == FE_C_NAME ?
		fe_c_find(p, t) : NULL;

	if (out->len && is_word(t) && !strchr("([", out->s[out->len - 1]) &&
	    (is_word(t - 1) || fe_c_is(t - 1, ",") || fe_c_is(t - 1, "*")))
		poly_str_add(out, fe_c_is(t - 1, "*") ? "" : " ");
	if (fe_c_is(t, "*") && is_word(t - 1))
		poly_str_add(out, " ");
	if (n && n->is_type && !n->bad && !is_standard(t))
		poly_str_add(out, type_text(n->type));
	else
		poly_str_printf(out, "%.*s", t->len, t->text);
}

/* The text as one of the unit, which lives as long as that; "text" is freed. */
static const char *keep(struct fe_unit *u, struct poly_str *text)
{
	const char *copy = fe_arena_text(&u->arena, text->s ? text->s : "",
		text->len);

	poly_str_free(text);
	return copy;
}

/* The tokens in [t, end) but for those that say nothing to a caller. */
static void add_tokens(struct fe_c_parse *p, const struct fe_c_token *t,
	const struct fe_c_token *end, struct poly_str *out)
{
	static const char *const dropped[] = {
		"static", "inline", "__inline", "__inline__", "extern",
		"__extension__"
	};
	size_t i;

	for (; t < end; t++) {
		bool drop = false;

		for (i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
			drop |= fe_c_is(t, dropped[i]) &&
				!fe_c_is(t - 1, "[");
		if (!drop)
			add_token(p, t, out);
	}
}

/* A parameter that is a pointer to structures, or an array of these. */
struct record {
	const struct fe_c_token *name;
	const struct fe_c_struct *st;	/* NULL: of another parameter */
	bool is_const;
	int n_dim;
};

/* What the parameter in [t, end) says if it is a pointer to structures; "st" is
 * NULL if it is none.
 */
static struct record record_of(struct fe_c_parse *p,
	const struct fe_c_token *t, const struct fe_c_token *end)
{
	struct record r = { NULL, NULL, false, 0 };
	const struct fe_c_name *n;

	while (t < end) {
		n = t->kind == FE_C_NAME ? fe_c_find(p, t) : NULL;
		if (fe_c_is(t, "struct"))
			r.st = fe_c_known_tag(p, t + 1);
		else if (n && n->is_type && n->st)
			r.st = n->st;
		r.is_const |= fe_c_is(t, "const") && !fe_c_is(t - 1, "*");
		r.name = t->kind == FE_C_NAME ? t : r.name;
		r.n_dim += fe_c_is(t, "[") || fe_c_is(t, "*");
		t = fe_c_is(t, "[") ? fe_c_skip(t) : t + 1;
	}
	return r;
}

/* Has it a tag, so that the header need not know its members? */
static bool has_tag(const struct fe_c_struct *st)
{
	return !strncmp(st->name, "struct ", 7);
}

/* Do the tokens name a member of a structure? */
static bool names_member(const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	for (; t < end; t++)
		if (fe_c_is(t, ".") || fe_c_is(t, "->"))
			return true;
	return false;
}

/* The parameter in [t, end), with "*" for extents that name members. */
static void add_parameter(struct fe_c_parse *p, const struct fe_c_token *t,
	const struct fe_c_token *end, struct poly_str *out)
{
	const struct fe_c_token *stop;

	for (; t < end; t = stop) {
		stop = fe_c_is(t, "[") ? fe_c_skip(t) : t + 1;
		if (names_member(t, stop))
			poly_str_add(out, "[*]");
		else
			add_tokens(p, t, stop, out);
	}
}

/* "struct p;", once. */
static void declare(struct poly_str *first, const char *type)
{
	struct poly_str line = { 0 };

	poly_str_printf(&line, "%s;\n", type);
	if (line.s && (!first->s || !strstr(first->s, line.s)))
		poly_str_add(first, line.s);
	poly_str_free(&line);
}

/* The parameters in [t, end). A pointer to structures without a tag, or to arrays
 * of these, is one to void. "first" are the declarations of those with one.
 */
static void add_parameters(struct fe_c_parse *p, const struct fe_c_token *t,
	const struct fe_c_token *end, struct poly_str *first,
	struct poly_str *out)
{
	const struct fe_c_token *stop;

	for (; t < end; t = stop) {
		struct record r;
		const char *type = "void";

		for (stop = t; stop < end && !fe_c_is(stop, ","); )
			stop = fe_c_is(stop, "(") || fe_c_is(stop, "[") ?
				fe_c_skip(stop) : stop + 1;
		r = record_of(p, t, stop);
		if (!r.st) {
			stop += stop < end;
			add_parameter(p, t, stop, out);
			continue;
		}
		if (r.n_dim < 2 && has_tag(r.st)) {
			type = r.st->name;
			declare(first, type);
		}
		poly_str_printf(out, "%s%s%s %s%.*s%s",
			fe_c_is(t - 1, ",") ? " " : "",
			r.is_const && r.n_dim ? "const " : "", type,
			r.n_dim ? "*" : "", r.name->len, r.name->text,
			stop < end ? "," : "");
		stop += stop < end;
	}
}

void fe_c_prototype(struct fe_c_parse *p)
{
	const struct fe_c_function *f = p->function;
	struct poly_str first = { 0 }, out = { 0 };

	add_tokens(p, f->begin, f->name + 2, &out);
	add_parameters(p, f->params, fe_c_skip(f->params - 1) - 1, &first,
		&out);
	poly_str_printf(&first, "%s)", out.s ? out.s : "");
	poly_str_free(&out);
	p->c->prototype = keep(p->u, &first);
}

/* The same for C++, which has no arrays of variable extent, and words of its own,
 * so that parameters have no names.
 */
static const char *plain_prototype(struct entry *en)
{
	const struct fe_c_unit *c = en->u->c;
	const struct fe_c_param *param;
	struct poly_str out = { 0 };

	poly_str_printf(&out, "%s %s(", c->returns ? type_text(c->type) :
		"void", c->function);
	for (param = c->param; param; param = param->next) {
		const struct fe_c_var *v = param->var;

		poly_str_printf(&out, "%s%s%s%s",
			param == c->param ? "" : ", ",
			v && v->is_const && v->n_dim ? "const " : "",
			param->st ? param->st->name :
			v && !(param->is_pointer && (v->has_row ||
			v->type == POLY_F16)) ? type_text(v->type) : "void",
			param->is_pointer ? " *" : "");
	}
	poly_str_add(&out, c->param ? ")" : "void)");
	return keep(en->u, &out);
}

/* --------------------------------------------------------------- arguments */

/* True if the program has an array for the variable. */
static bool is_array(const struct fe_c_var *v)
{
	return v->used && v->use == FE_C_CELL && v->role != POLY_TEMP;
}

/* Append an argument of the given kind; "v", unless NULL, is its variable. */
static struct fe_entry_arg *add_arg(struct entry *en,
	enum fe_entry_kind kind, const struct fe_c_var *v)
{
	struct fe_entry_arg *a = &en->e->arg[en->e->n_arg++];

	a->kind = kind;
	a->type = v ? v->type : POLY_I8;
	a->name = v ? v->name : "";
	if (v && (v->sized || is_array(v)))
		a->lowered = v->lowered;
	a->is_size = v && v->sized;
	a->count = 1;
	return a;
}

/* Does a caller without a prototype pass another type? */
static bool is_promoted(const struct fe_c_param *param)
{
	const struct fe_c_var *v = param->var;

	return v && !param->is_pointer && (v->type == POLY_F32 ||
		(poly_type_size(v->type) < 4 && v->type != POLY_F16));
}

/* Which of the first 16 bytes of a structure belong to integers. */
static unsigned integers_of(struct fe_unit *u, const struct fe_c_object *o)
{
	unsigned mask = 0;
	int64_t n, k;

	for (int i = 0; i < o->n_field; i++) {
		enum poly_type type = o->field[i]->type;
		const int64_t *at = fe_c_offsets(u, o->st, i, &n);

		for (k = 0; at && k < n && !poly_type_is_float(type); k++)
			if (at[k] < 16)
				mask |= ((1u << poly_type_size(type)) - 1) <<
					at[k];
	}
	return mask;
}

/* The type of all members of a structure, if that is one of floats, else POLY_N_TYPE. */
static enum poly_type floats_of(const struct fe_c_object *o)
{
	enum poly_type type = o->n_field ? o->field[0]->type : POLY_N_TYPE;

	for (int i = 0; i < o->n_field; i++)
		if (o->field[i]->type != type || !poly_type_is_float(type))
			return POLY_N_TYPE;
	return type;
}

/* The sizes and arrays that are the members of the structures at "loc". */
static void add_members(struct entry *en, struct fe_entry_arg *a,
	const struct fe_c_object *o, const struct poly_loc *loc)
{
	struct fe_entry_member *m;
	int i;

	m = fe_arena_alloc(&en->u->arena, ((size_t)o->n_field + 1) *
		sizeof(*m));
	a->member = m;
	a->bytes = o->st->size;
	a->align = o->st->align;
	a->integers = integers_of(en->u, o);
	a->floats = floats_of(o);
	for (i = 0; i < o->n_field; i++) {
		const struct fe_c_var *v = o->field[i];

		if (!v->sized && !is_array(v))
			continue;
		m->lowered = v->lowered;
		m->type = v->type;
		m->is_size = v->sized;
		m->offset = fe_c_offsets(en->u, o->st, i, &m->n);
		if (!m->offset)
			FE_REPORT(en->u, FE_C_ENTRY, loc,
				"a member of this structure is too large");
		a->n_member++;
		m++;
	}
}

/* Report why the structure cannot be passed by value. */
static void check_record(struct entry *en, const struct fe_c_param *param)
{
	const char *why = NULL;

	if (!has_tag(param->st))
		why = "the structure of this argument has no tag, by which a "
			"header can name it";
#if !defined(__x86_64__) && !defined(__aarch64__)
	why = "this machine has a way of its own to pass structures";
#endif
	if (why)
		FE_REPORT(en->u, FE_C_ENTRY, &param->name->loc, why);
}

/* Append the parameters of the function as arguments, and report those that no
 * caller can pass: what is neither number, pointer nor structure, and without a
 * prototype what callers would convert.
 */
static void add_params(struct entry *en)
{
	const struct fe_c_param *param;
	struct fe_entry_arg *a;

	for (param = en->u->c->param; param; param = param->next) {
		bool record = param->object && !param->is_pointer;

		if (!param->var && !param->is_pointer && !record &&
		    (param->name || param->st))
			FE_REPORT(en->u, FE_C_ENTRY, param->name ?
				&param->name->loc : &en->u->c->text.begin->loc,
				"an argument cannot be passed on");
		else if (en->u->c->is_old && is_promoted(param))
			FE_REPORT(en->u, FE_C_ENTRY, &param->name->loc,
				"without a prototype callers pass this "
				"argument as an int or a double");
		a = add_arg(en, param->is_pointer ? FE_ENTRY_POINTER : record ?
			FE_ENTRY_RECORD : FE_ENTRY_VALUE, param->var);
		if (param->object)
			add_members(en, a, param->object, &param->name->loc);
		if (record)
			check_record(en, param);
	}
	en->e->n_param = en->e->n_arg;
}

/* The elements of an array whose extents are constant; 0 if one is not. */
static int64_t count_elements(const struct fe_c_var *v)
{
	int64_t n = 1, extent;
	int d;

	for (d = 0; d < v->n_dim; d++) {
		if (!v->dim[d] || !fe_c_constant(v->dim[d], &extent) ||
		    __builtin_mul_overflow(n, extent, &n))
			return 0;
	}
	return n;
}

/* Why nothing outside can share the variable "v", or NULL. */
static const char *why_own(const struct fe_c_var *v)
{
	if (v->is_static)
		return "this variable is static, so that nothing outside of "
			"the file sees it";
	return v->is_extern || !v->has_value ? NULL :
		"this variable is given a value here, which the object "
		"would have to hold: declare it extern";
}

/* Append the global "v" as an argument: one that another file defines, or one
 * of this file.
 */
static void add_global(struct entry *en, const struct fe_c_var *v)
{
	struct fe_entry_arg *a = add_arg(en, v->is_extern ? FE_ENTRY_GLOBAL :
		FE_ENTRY_OWN, v);

	a->count = count_elements(v);
	if (why_own(v))
		FE_REPORT(en->u, FE_C_ENTRY, &v->loc, why_own(v));
}

/* The structures "o", of which "v" is the first member that is used. */
static void add_global_structures(struct entry *en,
	const struct fe_c_object *o, const struct fe_c_var *v)
{
	struct fe_entry_arg *a = add_arg(en, v->is_extern ? FE_ENTRY_GLOBAL :
		FE_ENTRY_OWN, NULL);

	a->name = o->name;
	add_members(en, a, o, &o->loc);
	if (a->n_member && a->member->offset)
		a->count = count_elements(v) / a->member->n;
	if (why_own(v))
		FE_REPORT(en->u, FE_C_ENTRY, &v->loc, why_own(v));
}

/* Append the globals that the nest uses; those of one structure are one
 * argument. What is declared in front of the region is nothing that a caller
 * sees.
 */
static void add_outer(struct entry *en)
{
	const struct fe_c_object *last = NULL;
	const struct fe_c_var *v;

	for (v = en->u->c->var; v; v = v->next) {
		if (!v->outer || v->is_param || v->is_result ||
		    (!v->sized && !is_array(v)))
			continue;
		if (v->is_global && !v->object)
			add_global(en, v);
		else if (v->is_global && v->object != last)
			add_global_structures(en, v->object, v);
		else if (!v->is_global)
			FE_REPORT(en->u, FE_C_ENTRY, &v->loc, "this variable "
				"is declared outside of the region");
		last = v->object;
	}
}

/* Note what the function returns, and the array in which the program leaves it.
 */
static void add_result(struct entry *en)
{
	const struct fe_c_unit *c = en->u->c;
	const struct fe_c_var *v = fe_c_result(c);

	if (c->returns_other)
		FE_REPORT(en->u, FE_C_ENTRY, NULL,
			"the function returns no number");
	en->e->returns = c->returns;
	en->e->type = c->type;
	en->e->result = v && is_array(v) ? v->lowered : NULL;
}

/* ------------------------------------------------------------------ region */

static bool is_idle(const struct fe_c_token *t)
{
	return fe_c_is(t, "{") || fe_c_is(t, "}") || fe_c_is(t, ";") ||
		(fe_c_is(t, "return") && fe_c_is(t + 1, ";"));
}

/* Report the first statement in [t, end) that is no declaration. */
static void check_idle(struct entry *en, const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	while (t < end) {
		const struct fe_c_var *v;
		const struct fe_c_token *stop;
		bool declares = false;

		if (is_idle(t)) {
			t++;
			continue;
		}
		for (stop = t; stop < end && !fe_c_is(stop, ";"); stop++)
			for (v = en->u->c->var; v; v = v->next)
				declares |= v->loc.line == stop->loc.line &&
					v->loc.col == stop->loc.col &&
					v->loc.line;
		if (!declares) {
			FE_REPORT(en->u, FE_C_ENTRY, &t->loc,
				"this statement is outside of the region");
			return;
		}
		t = stop;
	}
}

void fe_c_entry(struct fe_unit *u)
{
	const struct fe_c_text *text = &u->c->text;
	struct entry en = { u, fe_arena_alloc(&u->arena, sizeof(*en.e)) };
	const struct fe_c_param *param;
	size_t n = (size_t)u->c->n_var + 1;

	if (!u->c->function) {
		FE_REPORT(u, FE_C_ENTRY, &text->begin->loc,
			"no function is around the region");
		return;
	}
	for (param = u->c->param; param; param = param->next)
		n++;
	en.e->name = u->c->function;
	en.e->arg = fe_arena_alloc(&u->arena, n * sizeof(*en.e->arg));
	add_params(&en);
	add_outer(&en);
	add_result(&en);
	if (text->scop) {
		check_idle(&en, text->open, text->scop);
		check_idle(&en, text->rest, text->end);
	}
	en.e->prototype = u->c->prototype;
	en.e->plain = plain_prototype(&en);
	en.e->valid = u->c->assumed;
	u->face.entry = en.e;
}

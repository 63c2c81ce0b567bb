/* Declarations of C: arithmetic types, arrays, and pointers that are arrays of
 * an extent that is not written.
 *
 * Whatever else a file may declare is remembered with the reason why it cannot
 * be used, which is told where it is used.
 */
#include <string.h>

#include "frontend/c/c_internal.h"

/* What stands in front of declarators. */
struct specifiers {
	bool is_const, is_typedef, is_static, is_extern, is_void;
	bool is_odd;	/* an attribute changes the layout */
	enum poly_type type;
	const struct fe_c_struct *st;	/* NULL: numbers */
	const char *bad;
};

/* What a declarator says. */
struct declarator {
	const struct fe_c_token *name;	/* or NULL */
	int n_pointer, n_dim;
	struct fe_c_expr *dim[FE_C_MAX_RANK];
	const char *bad;
};

static bool is_any(const struct fe_c_token *t, const char *const *word)
{
	for (; *word; word++)
		if (fe_c_is(t, *word))
			return true;
	return false;
}

static const char *const qualifier[] = {
	"volatile", "restrict", "__restrict", "__restrict__", "register", "inline", "__inline", "__inline__", "auto",
	"__extension__", "_Noreturn", "__volatile__", NULL
};
static const char *const basic[] = {
	"void", "char", "short", "int", "long", "float", "double", "signed",
	"unsigned", "_Bool", "__signed__", "_Float16", "_Float32", "_Float64",
	"_Float32x", NULL
};
static const char *const other[] = {
	"struct", "union", "enum", "_Complex", "__complex__", "__int128",
	"__float128", "_Float128", "__builtin_va_list", "_Float64x", NULL
};
static const char *const storage[] = {
	"const", "__const", "static", "typedef", "extern", NULL
};

/* True if a declaration begins here. */
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

/* How often each basic word was seen. */
struct words {
	int is_void, is_char, is_short, is_int, is_long, is_half, is_float;
	int is_double;
	int is_signed, is_unsigned, is_bool;
};

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

static void choose_type(const struct words *w, struct specifiers *s)
{
	bool u = w->is_unsigned > 0;

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

/* Past "__attribute__((..))" and the like. */
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

/* Past "union name { .. }". */
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

/* "enum { A, B = 3 }": the constants. */
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
		value = (int64_t)((uint64_t)value + 1);
		if (!fe_c_accept(p, ","))
			break;
	}
	fe_c_expect(p, "}");
}

/* Why the type that the word names is none of a value. */
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

/* All words in front of the first declarator; false if there are none. */
static bool specifiers(struct fe_c_parse *p, struct specifiers *s)
{
	const struct fe_c_token *first = p->t;
	struct words w = { 0 };
	const struct fe_c_name *n, *type = NULL;
	bool any = false;

	*s = (struct specifiers) { .type = POLY_I32 };
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
		choose_type(&w, s);
	}
	if (s->st)
		s->type = s->st->type;
	return p->t > first && (any || type || p->outer);
}

/* ------------------------------------------------------------ declarators */

static void dimension(struct fe_c_parse *p, struct declarator *d)
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

static void declarator(struct fe_c_parse *p, struct declarator *d)
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
		declarator(p, d);
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
 */
static const char *judge(const struct specifiers *s, struct declarator *d)
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

/* ------------------------------------------------------------- variables */

struct fe_c_var *fe_c_add_var(struct fe_c_parse *p, const char *name,
	enum poly_type type, const struct poly_loc *loc)
{
	struct fe_c_var *v = fe_arena_alloc(&p->u->arena, sizeof(*v));

	v->name = name;
	v->type = type;
	v->loc = *loc;
	v->id = p->c->n_var++;
	v->outer = p->outer;
	*p->c->last_var = v;
	p->c->last_var = &v->next;
	return v;
}

bool fe_c_is_result(const struct fe_c_var *v)
{
	return !strcmp(v->name, "return");
}

struct fe_c_var *fe_c_result(const struct fe_c_unit *c)
{
	struct fe_c_var *v = c->var;

	while (v && !fe_c_is_result(v))
		v = v->next;
	return v;
}

/* Is it one array with C's layout? Memory that a caller sees is, an array or a
 * global, if all scalars have one type.
 */
static bool is_one_array(const struct fe_c_parse *p,
	const struct specifiers *s, const struct declarator *d)
{
	return p->outer && (d->n_dim || !p->function) && !s->st->is_mixed;
}

/* Add the dimension of the scalars; why that cannot be, or NULL. */
static const char *add_row(struct fe_c_parse *p,
	const struct specifiers *s, struct declarator *d)
{
	if (d->n_dim == FE_C_MAX_RANK)
		return "an array of more than 7 dimensions of structures";
	d->dim[d->n_dim++] = fe_c_int(p, POLY_I64, s->st->n, &d->name->loc);
	return NULL;
}

/* The name stands for structures: of "v", or of variables for the members. */
static void bind_struct(struct fe_c_parse *p, const struct specifiers *s,
	const struct declarator *d, struct fe_c_name *n, struct fe_c_var *v)
{
	struct fe_c_view *view;
	int i;

	if (!v) {
		n->view = fe_c_new_object(p, s->st, d->name, d->n_dim, d->dim);
		for (i = 0; i < n->view->object->n_field; i++) {
			v = n->view->object->field[i];
			v->is_const = p->outer && s->is_const;
			v->is_static = s->is_static;
			v->is_extern = s->is_extern;
		}
		return;
	}
	v->has_row = true;
	view = fe_arena_alloc(&p->u->arena, sizeof(*view));
	view->var = v;
	view->st = s->st;
	n->view = view;
}

/* Bind the name; NULL if it is no variable that can be used, or several. */
static struct fe_c_var *add_variable(struct fe_c_parse *p,
	const struct specifiers *s, struct declarator *d)
{
	const char *bad = judge(s, d);
	struct fe_c_name *n = d->name ? fe_c_bind(p, d->name) : NULL;
	struct fe_c_var *v;
	bool one = true;

	if (!n)
		return NULL;
	if (!bad && !p->outer && s->is_static && !s->is_const)
		bad = "static";
	if (!bad && !p->outer && d->n_dim && !d->dim[0] &&
	    !fe_c_is(p->t, "="))
		bad = "a pointer";
	if (!bad && s->st) {
		one = is_one_array(p, s, d);
		bad = one ? add_row(p, s, d) : NULL;
	}
	n->bad = bad;
	if (!bad && !one)
		bind_struct(p, s, d, n, NULL);
	if (bad || !one)
		return NULL;
	v = fe_c_add_var(p, fe_arena_text(&p->u->arena, d->name->text,
		(size_t)d->name->len), s->type, &d->name->loc);
	v->is_const = s->is_const;
	v->is_static = s->is_static;
	v->is_extern = s->is_extern;
	v->n_dim = d->n_dim;
	memcpy(v->dim, d->dim, sizeof(v->dim));
	n->var = v;
	if (s->st)
		bind_struct(p, s, d, n, v);
	return v;
}

/* ---------------------------------------------------------- initialisers */

struct elements {
	struct fe_c_stmt *first, **last;
	int64_t at[FE_C_MAX_RANK];
	int n;
};

/* "var[at] = e" */
static void add_element(struct fe_c_parse *p, struct fe_c_var *v,
	struct elements *el, struct fe_c_expr *e)
{
	struct fe_c_stmt *s = fe_arena_alloc(&p->u->arena, sizeof(*s));
	struct fe_c_expr *left;
	int i;

	if (!e)
		return;
	if (++el->n > FE_C_MAX_STMT) {
		FE_C_ERROR(p, FE_C_STATEMENTS, &e->loc, FE_C_MAX_STMT);
		return;
	}
	left = fe_c_node(p, v->n_dim ? FE_C_ELEMENT : FE_C_VAR, v->type,
		&v->loc);
	left->var = v;
	left->n_index = v->n_dim;
	left->index = fe_arena_alloc(&p->u->arena,
		((size_t)v->n_dim + 1) * sizeof(*left->index));
	for (i = 0; i < v->n_dim; i++)
		left->index[i] = fe_c_int(p, POLY_I64, el->at[i], &v->loc);
	s->kind = FE_C_ASSIGN;
	s->left = left;
	s->right = fe_c_convert(p, v->type, e);
	s->loc = fe_c_span(&v->loc, &e->loc);
	s->declares = !v->n_dim;
	s->begins = true;
	v->n_write++;
	*el->last = s;
	el->last = &s->next;
}

/* Zeros from element "at" of dimension "d" to the end. */
static void add_zeros(struct fe_c_parse *p, struct fe_c_var *v,
	struct elements *el, int d)
{
	int64_t n = 0, k;

	if (p->bad)
		return;
	if (d == v->n_dim) {
		add_element(p, v, el, fe_c_int(p, POLY_I32, 0, &v->loc));
		return;
	}
	fe_c_constant(v->dim[d], &n);
	for (k = el->at[d]; k < n && !p->bad; k++) {
		el->at[d] = k;
		add_zeros(p, v, el, d + 1);
	}
	el->at[d] = 0;
}

/* "{ .. }" of dimension "d". */
static void braces(struct fe_c_parse *p, struct fe_c_var *v,
	struct elements *el, int d)
{
	int64_t n = INT64_MAX;

	if (!fe_c_expect(p, "{"))
		return;
	if (v->dim[d] && !fe_c_constant(v->dim[d], &n)) {
		FE_C_ERROR(p, FE_C_INITIALISER, &v->loc, v->name);
		return;
	}
	el->at[d] = 0;
	while (!fe_c_is(p->t, "}") && !p->bad) {
		if (el->at[d] >= n) {
			FE_C_ERROR(p, FE_C_INITIALISER, &p->t->loc, v->name);
			return;
		}
		if (d + 1 < v->n_dim)
			braces(p, v, el, d + 1);
		else
			add_element(p, v, el, fe_c_expression(p));
		el->at[d]++;
		if (!fe_c_accept(p, ","))
			break;
	}
	if (!v->dim[d])
		v->dim[d] = fe_c_int(p, POLY_I64, el->at[d], &v->loc);
	add_zeros(p, v, el, d);
	fe_c_expect(p, "}");
}

static void append(struct elements *el, struct fe_c_stmt *s)
{
	for (*el->last = s; *el->last; )
		el->last = &(*el->last)->next;
}

/* What must run in front of a value runs behind the declarators before. */
static void flush(struct fe_c_parse *p, struct elements *el)
{
	if (p->head)
		return;
	append(el, p->pending);
	p->pending = NULL;
}

static void initialiser(struct fe_c_parse *p, struct fe_c_var *v,
	struct elements *el)
{
	struct fe_c_changes here = { .begin = p->t }, *outer = p->changes;
	struct fe_c_stmt **at;
	struct fe_c_expr *e;

	if (v->n_dim) {
		braces(p, v, el, 0);
		flush(p, el);
		return;
	}
	p->changes = p->head ? NULL : &here;
	e = fe_c_expression(p);
	p->changes = outer;
	if (!e)
		return;
	flush(p, el);
	at = el->last;
	v->init = fe_c_convert(p, v->type, e);
	add_element(p, v, el, e);
	for (*at = fe_c_changed(p, *at, &here); *el->last; )
		el->last = &(*el->last)->next;
}

/* Is it a structure that is several variables? */
static bool is_object(const struct fe_c_name *n)
{
	return n->view && n->view->object && !n->bad;
}

static void struct_values(struct fe_c_parse *p, const struct fe_c_view *v,
	struct elements *el)
{
	struct fe_c_list l = { .loc = p->t->loc, .declares = true,
		.last = el->last };

	fe_c_initialise(p, v, &l);
	el->last = l.last;
}

/* The values of a structure outside that is several variables: those that are
 * const keep them.
 */
static void object_values(struct fe_c_parse *p, const struct fe_c_view *v)
{
	struct elements el = { .last = &el.first };
	struct fe_c_stmt *s, *next, **last;
	int i;

	struct_values(p, v, &el);
	for (i = 0; i < v->object->n_field; i++) {
		v->object->field[i]->unset = false;
		v->object->field[i]->has_value = true;
		v->object->field[i]->n_write = 0;
	}
	for (s = p->bad ? NULL : el.first; s; s = next) {
		next = s->next;
		s->next = NULL;
		for (last = &s->left->var->values; *last; last = &(*last)->next)
			;
		if (s->left->var->is_const)
			*last = s;
	}
}

/* Past an initialiser of something outside. An integer constant is kept, and
 * values that may come to stand inside (c_file.c): those of a scalar, and of a
 * const array.
 */
static void outer_initialiser(struct fe_c_parse *p, struct fe_c_name *n,
	struct fe_c_var *v)
{
	const struct fe_c_token *begin = p->t;
	struct elements el = { .last = &el.first };
	struct fe_c_expr *e;
	int64_t value;

	if (n && !v && is_object(n))
		object_values(p, n->view);
	if (v && v->n_dim && v->is_const) {
		if (v->has_row)
			struct_values(p, n->view, &el);
		else
			braces(p, v, &el, 0);
		v->values = p->bad ? NULL : el.first;
		v->n_write = 0;
	} else if (v && !v->n_dim) {
		e = fe_c_convert(p, v->type, fe_c_expression(p));
		if (e && v->is_const && fe_c_constant(e, &value)) {
			n->is_constant = true;
			n->type = v->type;
			n->bits = value;
		}
		v->init = p->bad ? NULL : e;
	}
	p->bad = false;
	p->t = begin;
	if (v) {
		v->unset = false;
		v->has_value = true;
	}
	while (p->t->kind != FE_C_END && !fe_c_is(p->t, ",") &&
	       !fe_c_is(p->t, ";"))
		p->t = fe_c_is(p->t, "(") || fe_c_is(p->t, "{") ||
			fe_c_is(p->t, "[") ? fe_c_skip(p->t) : p->t + 1;
}

/* ---------------------------------------------------------- declarations */

static void bind_type(struct fe_c_parse *p, const struct specifiers *s,
	struct declarator *d)
{
	const char *bad = judge(s, d);
	struct fe_c_name *n = d->name ? fe_c_bind(p, d->name) : NULL;

	if (!n)
		return;
	n->is_type = true;
	n->is_odd = s->is_odd;
	n->type = s->type;
	n->st = s->st;
	if (s->st && bad == s->st->bad)		/* may be defined below */
		bad = NULL;
	n->bad = d->n_dim ? "an array type" : bad;
}

/* The name with the view that its value is; NULL, or a bad one, having reported
 * why.
 */
static struct fe_c_name *view_name(struct fe_c_parse *p,
	const struct specifiers *s, const struct declarator *d)
{
	struct fe_c_view *view = fe_arena_alloc(&p->u->arena, sizeof(*view));
	struct fe_c_shape shape = { 0 };
	struct fe_c_name *n;
	int i;

	p->t++;
	if (!fe_c_view(p, view))
		return NULL;
	shape.type = s->type;
	shape.st = s->st;
	shape.n_dim = d->n_dim ? d->n_dim : 1;
	memcpy(shape.dim, d->dim, sizeof(shape.dim));
	if (!fe_c_reshape(p, view, &shape, &d->name->loc))
		return NULL;
	n = fe_c_bind(p, d->name);
	if (!n)
		return NULL;
	if (fe_c_is_changed(p->function->body, p->function->end, d->name))
		n->bad = "a pointer that changes";
	for (i = 0; i < view->n_index; i++)
		if (!fe_c_is_stable(p, view->index[i]))
			n->bad = "a pointer to what changes";
	if (view->offset && !fe_c_is_stable(p, view->offset))
		n->bad = "a pointer to what changes";
	for (i = 1; i < view->n_dim; i++)
		if (!fe_c_is_stable(p, view->dim[i]))
			n->bad = "a pointer to what changes";
	n->view = n->bad ? NULL : view;
	return n;
}

/* "type *name = a + k": another name for a part of an array. In front of a region
 * it may be anything else, and then is not read; a variable that nothing uses says
 * to c_entry.c that a declaration stands there.
 */
static bool pointer(struct fe_c_parse *p, const struct specifiers *s,
	const struct declarator *d)
{
	const struct fe_c_token *begin = p->t;
	const struct fe_c_name *n;

	n = view_name(p, s, d);
	if (p->outer && (!n || !n->view)) {
		p->bad = false;
		p->t = begin;
		return false;
	}
	if (p->outer)
		fe_c_add_var(p, fe_arena_text(&p->u->arena, d->name->text,
			(size_t)d->name->len), s->type,
			&d->name->loc)->outer = false;
	return true;
}

/* Is a pointer, "*name" or "(*name)[n]", given a value here? */
static bool is_pointer(const struct fe_c_parse *p, const struct declarator *d)
{
	return fe_c_is(p->t, "=") && !fe_c_is(p->t + 1, "{") &&
		(d->n_pointer ? d->n_pointer == 1 && !d->n_dim :
		 d->n_dim && !d->dim[0]);
}

/* "= { .. }" or "= value" of the structure "n", which is several variables. */
static void struct_initialiser(struct fe_c_parse *p,
	const struct fe_c_name *n, const struct declarator *d, bool is_const,
	struct elements *el)
{
	struct fe_c_list l = { .loc = d->name->loc, .declares = true };
	struct fe_c_object *o = n->view->object;
	struct fe_c_stmt *first = NULL;
	int i;

	l.last = &first;
	fe_c_initialise(p, n->view, &l);
	flush(p, el);
	append(el, first);
	for (i = 0; i < o->n_field; i++)
		o->field[i]->is_const = is_const;
}

static void one_declarator(struct fe_c_parse *p, const struct specifiers *s,
	struct elements *el)
{
	const struct fe_c_token *begin = p->t;
	struct declarator d = { 0 };
	struct specifiers own = *s;
	struct fe_c_name *n;
	struct fe_c_var *v;

	declarator(p, &d);
	own.is_odd |= fe_c_changes_layout(begin, p->t);
	if (p->bad)
		return;
	if (!d.name) {
		fe_c_unexpected(p, "a name");
		return;
	}
	if (s->is_typedef) {
		bind_type(p, &own, &d);
		return;
	}
	if (p->function && is_pointer(p, &d) && !d.bad && !s->bad &&
	    (pointer(p, s, &d) || !p->outer))
		return;
	if (s->st && d.n_dim && !d.dim[0] && fe_c_is(p->t, "=") &&
	    fe_c_is(p->t + 1, "{"))
		d.dim[0] = fe_c_int(p, POLY_I64, fe_c_count_values(p->t + 1),
			&d.name->loc);
	v = add_variable(p, &own, &d);
	if (p->outer && v)
		v->unset = true;
	if (!fe_c_accept(p, "="))
		return;
	n = fe_c_find(p, d.name);
	if (v && !p->outer)
		initialiser(p, v, el);
	else if (n && is_object(n) && !p->outer)
		struct_initialiser(p, n, &d, s->is_const, el);
	else
		outer_initialiser(p, n, v);
}

struct fe_c_stmt *fe_c_declaration(struct fe_c_parse *p)
{
	struct elements el = { .last = &el.first };
	struct specifiers s;

	if (!specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return NULL;
	}
	if (fe_c_accept(p, ";"))
		return NULL;
	do {
		one_declarator(p, &s, &el);
	} while (!p->bad && fe_c_accept(p, ","));
	if (!p->bad)
		fe_c_expect(p, ";");
	return el.first;
}

bool fe_c_is_size(const struct fe_c_param *p)
{
	return fe_c_is(p->name - 1, "param");
}

/* The members of a structure that is several variables are parameters; the
 * structure, or NULL.
 */
static struct fe_c_object *object_param(const struct fe_c_name *n,
	bool by_value)
{
	struct fe_c_object *o = n && is_object(n) ? n->view->object : NULL;
	int i;

	for (i = 0; o && i < o->n_field; i++) {
		o->field[i]->is_param = true;
		o->field[i]->by_value = by_value;
	}
	return o;
}

static void add_param(struct fe_c_parse *p, const struct specifiers *s,
	struct declarator *d, struct fe_c_var *v)
{
	struct fe_c_param *param = fe_arena_alloc(&p->u->arena,
		sizeof(*param));

	param->is_pointer = d->n_pointer || d->n_dim;
	param->name = d->name;
	param->var = v;
	param->bad = v ? NULL : judge(s, d);
	param->st = param->is_pointer ? NULL : s->st;
	if (!v && d->name)
		param->object = object_param(fe_c_find(p, d->name),
			!param->is_pointer);
	if (param->object)
		param->bad = "a parameter is a structure";
	*p->c->last_param = param;
	p->c->last_param = &param->next;
}

void fe_c_params(struct fe_c_parse *p)
{
	if (fe_c_is(p->t, "void") && fe_c_is(p->t + 1, ")"))
		p->t++;
	while (!fe_c_is(p->t, ")") && !p->bad) {
		const struct fe_c_token *begin = p->t;
		struct declarator d = { 0 };
		struct specifiers s;
		struct fe_c_var *v;

		if (!specifiers(p, &s)) {
			fe_c_unexpected(p, "a type");
			return;
		}
		declarator(p, &d);
		s.is_odd |= fe_c_changes_layout(begin, p->t);
		v = p->bad ? NULL : add_variable(p, &s, &d);
		if (v) {
			v->is_param = true;
			v->by_value = !v->n_dim;
		}
		add_param(p, &s, &d, v);
		if (!fe_c_accept(p, ","))
			break;
	}
	if (!p->bad)
		fe_c_expect(p, ")");
}

void fe_c_return_type(struct fe_c_parse *p)
{
	struct specifiers s;

	if (!specifiers(p, &s))
		return;
	p->c->returns_other = s.bad || s.st || fe_c_is(p->t, "*");
	p->c->returns = !p->c->returns_other && !s.is_void;
	p->c->type = s.type;
}

bool fe_c_base_type(struct fe_c_parse *p, enum poly_type *type, bool *is_void,
	const char **bad, const struct fe_c_struct **st)
{
	struct specifiers s;

	if (!specifiers(p, &s)) {
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

const struct fe_c_struct *fe_c_struct_name(struct fe_c_parse *p)
{
	const struct poly_loc *loc = &p->t->loc;
	struct specifiers s;
	struct declarator d = { 0 };
	const char *bad;

	if (!specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return NULL;
	}
	bad = judge(&s, &d);
	if (!bad && s.st && !s.st->bad)
		return s.st;
	FE_C_ERROR(p, FE_C_TYPE, loc, bad ? bad : "in braces here");
	return NULL;
}

/* A member of the type "s"; one without a name is a structure or a bit field. */
static struct fe_c_member_text one_member(struct fe_c_parse *p,
	const struct specifiers *s)
{
	struct fe_c_member_text m = { .type = s->type, .st = s->st };
	struct declarator d = { 0 };
	bool is_bits, nameless = fe_c_is(p->t, ";");

	if (!nameless && !fe_c_is(p->t, ":"))
		declarator(p, &d);
	is_bits = fe_c_is(p->t, ":");
	if (!d.name && !is_bits && !nameless)
		fe_c_unexpected(p, "a name");
	m.name = d.name;
	m.bad = d.bad ? d.bad : is_bits ? "a bit field" :
		d.n_pointer ? "a pointer" : judge(s, &d);
	if (!m.bad && s->is_odd)
		m.bad = "of a layout that an attribute changes";
	while (p->t->kind != FE_C_END && !fe_c_is(p->t, ",") &&
	       !fe_c_is(p->t, ";") && !fe_c_is(p->t, "}"))
		p->t++;
	m.n_dim = d.n_dim;
	memcpy(m.dim, d.dim, sizeof(m.dim));
	return m;
}

void fe_c_member_declaration(struct fe_c_parse *p, struct fe_c_struct *st,
	void (*add)(struct fe_c_parse *p, struct fe_c_struct *s,
	const struct fe_c_member_text *m))
{
	struct specifiers s;

	if (!specifiers(p, &s) || s.is_typedef) {
		fe_c_unexpected(p, "a type");
		return;
	}
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

bool fe_c_pointer_type(struct fe_c_parse *p, struct fe_c_shape *shape)
{
	const struct poly_loc *loc = &p->t->loc;
	struct declarator d = { 0 };
	struct specifiers s;
	const char *bad;

	if (!specifiers(p, &s)) {
		fe_c_unexpected(p, "a type");
		return false;
	}
	declarator(p, &d);
	if (p->bad)
		return false;
	*shape = (struct fe_c_shape) { .is_void = s.is_void &&
		d.n_pointer == 1 && !d.n_dim };
	bad = shape->is_void ? NULL : judge(&s, &d);
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

bool fe_c_type_name(struct fe_c_parse *p, enum poly_type *type)
{
	const struct poly_loc *loc = &p->t->loc;
	struct specifiers s;

	if (!specifiers(p, &s)) {
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

int64_t fe_c_type_size(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	struct specifiers s;
	enum poly_type type;
	const char *bad;

	if (!specifiers(p, &s) || !s.st || s.st->bad || s.is_odd) {
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

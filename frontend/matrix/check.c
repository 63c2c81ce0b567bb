/* Names, shapes and types of what was parsed.
 *
 * Parameters and matrices are declared in any order, then the definitions are
 * followed in theirs: a name means its newest version. A name whose
 * declaration or definition is wrong is marked broken, so that its uses are
 * no further errors. Each definition becomes tensors (from_matrix.c) as soon as it
 * has been followed.
 */
#include <string.h>

#include <limits.h>

#include "frontend/matrix/matrix.h"
#include "frontend/index/call.h"

/* --------------------------------------------------------- declarations */

/* Declare the sizes in the order of the text; a name that is taken is reported.
 */
static void declare_params(struct fe_unit *u)
{
	struct fe_param **tail = &u->param;
	const struct fe_decl *d;

	for (d = u->ast->decl; d; d = d->next) {
		struct fe_param *p;

		if (!d->is_param || !fe_declare(u, d->symbol, &d->loc))
			continue;
		p = fe_arena_alloc(&u->arena, sizeof(*p));
		p->symbol = d->symbol;
		p->index = u->n_param++;
		p->loc = d->loc;
		d->symbol->param = p;
		*tail = p;
		tail = &p->next;
	}
}

/* Give parameters the values of "def". */
static void apply_defines(struct fe_unit *u, const struct fe_define *def,
	int n_def)
{
	int i;

	for (i = 0; i < n_def; i++) {
		const char *name = def[i].name;
		long long value = def[i].value;
		struct fe_param *p;

		p = fe_symbol_find(u, name, strlen(name))->param;
		if (!p)
			FE_REPORT(u, FE_DEFINE_NAME, NULL, name);
		else if (value < 0 || value > FE_MAX_SIZE)
			FE_REPORT(u, FE_DEFINE_RANGE, NULL, name, value,
				FE_MAX_SIZE);
		else if (p->fixed && p->value != value)
			FE_REPORT(u, FE_DEFINE_TWICE, NULL, name,
				(long long)p->value, value);
		else {
			p->fixed = true;
			p->value = value;
		}
	}
}

/* The size that "dim" writes; false, having reported why, if it is none. A
 * name is reported once.
 */
static bool resolve_dim(struct fe_unit *u, const struct fe_dim *dim,
	struct fe_size *size)
{
	struct fe_symbol *s = dim->symbol;

	size->param = NULL;
	size->value = dim->value;
	if (!s)
		return true;
	if (s->param) {
		s->param->used = true;
		size->param = s->param;
		size->value = s->param->fixed ? s->param->value : -1;
		return true;
	}
	if (s->is_matrix)
		FE_REPORT(u, FE_NOT_PARAM, &dim->loc, s->name);
	else if (!s->broken)
		fe_report_undefined(u, s, &dim->loc, FE_MEANS_SIZE);
	s->broken = true;
	return false;
}

/* Declare the input matrix "d". If its name or a size is wrong, the name is
 * broken, so that uses of it are no further errors.
 */
static void declare_matrix(struct fe_unit *u, const struct fe_decl *d)
{
	struct fe_size dim[2];
	bool good = fe_declare(u, d->symbol, &d->loc);
	struct fe_node *n;

	good &= resolve_dim(u, &d->dim[0], &dim[0]);
	good &= resolve_dim(u, &d->dim[1], &dim[1]);
	d->symbol->is_matrix = true;
	if (!good) {
		d->symbol->broken = true;
		return;
	}
	n = fe_node_add(u, FE_INPUT, NULL, NULL, NULL);
	n->dim[0] = dim[0];
	n->dim[1] = dim[1];
	n->loc = d->loc;
	n->name = d->symbol->name;
	d->symbol->node = n;
	u->n_input++;
}

/* Declare the input matrices. First all names are marked as matrices, for
 * messages about sizes that are none; the inputs are the first nodes.
 */
static void declare_matrices(struct fe_unit *u)
{
	const struct fe_decl *d;

	for (d = u->ast->decl; d; d = d->next)
		if (!d->is_param)
			d->symbol->is_matrix |= !d->symbol->param;
	for (d = u->ast->decl; d; d = d->next)
		if (!d->is_param)
			declare_matrix(u, d);
	u->input = u->node;
}

/* ---------------------------------------------------------- definitions */

/* Report, once, why "s" is no matrix where "e" uses it. */
static void report_use(struct fe_unit *u, struct fe_symbol *s,
	const struct fe_expr *e)
{
	if (s->broken)
		return;
	if (s->param)
		FE_REPORT(u, FE_NOT_MATRIX, &e->loc, s->name);
	else if (s->define_line)
		FE_REPORT(u, FE_EARLY, &e->loc, s->name, s->define_line);
	else
		fe_report_undefined(u, s, &e->loc, FE_MEANS_VALUE);
	s->broken = true;
}

/* The node of a definition in index notation that "e" uses as a matrix; NULL,
 * having reported why, if it is none.
 */
static struct fe_node *use_tensor(struct fe_unit *u, const struct fe_expr *e,
	int order)
{
	struct fe_tensor *t = fe_version(e->symbol->tensor, order);
	struct fe_size size[2];
	struct fe_node *n;

	t->is_read = true;
	if (t->broken)
		return NULL;
	if (t->rank != 2 ||
	    !fe_range_is_size(u, t->scope.first, &size[0]) ||
	    !fe_range_is_size(u, t->scope.first->next, &size[1])) {
		FE_REPORT(u, FE_NO_MATRIX, &e->loc, t->symbol->name);
		return NULL;
	}
	if (t->type != u->type) {
		FE_REPORT(u, FE_MATRIX_TYPE, &e->loc, t->symbol->name,
			poly_type_name(t->type), poly_type_name(u->type));
		return NULL;
	}
	n = fe_node_add(u, FE_TENSOR, NULL, NULL, NULL);
	n->dim[0] = size[0];
	n->dim[1] = size[1];
	n->loc = e->loc;
	n->name = t->symbol->name;
	n->tensor = t;
	n->rounded = true;
	return n;
}

/* The node of the matrix that "e" uses in "def"; NULL, having reported why,
 * if there is none.
 */
static struct fe_node *use_matrix(struct fe_unit *u, struct fe_def *def,
	const struct fe_expr *e, int order)
{
	struct fe_symbol *s = e->symbol;

	if (s->tensor)
		return use_tensor(u, e, order);
	if (!s->node) {
		report_use(u, s, e);
		return NULL;
	}
	if (s->def)
		fe_read_def(u, s->def, &def->reads);
	else
		fe_from_matrix(u, s->node)->is_read = true;
	return s->node;
}

/* Append a definition for "a" to those of the unit. */
static struct fe_def *add_def(struct fe_unit *u, const struct fe_assign *a)
{
	struct fe_def *def = fe_arena_alloc(&u->arena, sizeof(*def));

	def->symbol = a->symbol;
	def->loc = a->loc;
	def->prev = u->last_def;
	if (u->last_def)
		u->last_def->next = def;
	else
		u->def = def;
	u->last_def = def;
	u->n_def++;
	return def;
}

/* Let the operation behind "def", if it was made for it, hold its value. */
static void own_node(struct fe_def *def)
{
	struct fe_node *base = def->node->base;

	if (base->owner != def || base->kind == FE_CONST)
		return;
	base->def = def;
	base->rounded = true;
	base->flipped = def->node->select[0] == FE_COLUMN;
	def->owns_node = true;
}

/* True if a definition may give "s" a value; a matrix that a call has changed
 * is one still.
 */
static bool may_define(struct fe_unit *u, const struct fe_symbol *s,
	const struct poly_loc *loc)
{
	if (s->function)
		FE_REPORT(u, FE_FUNCTION_NAME, loc, s->name);
	else if (s->param || (s->tensor && !s->is_matrix))
		FE_REPORT(u, FE_REDECLARED, loc, s->name, s->loc.line);
	return !s->function && !s->param && (!s->tensor || s->is_matrix);
}

/* Follow the definition "a": make nodes of the parts of its right-hand side,
 * operands first, and let its name mean the last of them. Its parts are checked
 * even if the name cannot be defined.
 */
static void define(struct fe_unit *u, const struct fe_assign *a)
{
	struct fe_symbol *s = a->symbol;
	struct fe_def *def = add_def(u, a);
	bool good = may_define(u, s, &a->loc);
	struct fe_expr *e;

	for (e = a->first; e; e = e->next)
		e->node = e->kind == FE_USE ? use_matrix(u, def, e, a->order) :
			fe_node_make(u, def, e);
	if (!good)
		return;
	s->is_matrix = true;
	s->tensor = NULL;
	s->node = def->node = a->root->node;
	s->broken = !s->node;
	def->version = s->def ? s->def->version + 1 : 1;
	s->def = def;
	if (!def->node)
		return;
	own_node(def);
	fe_from_def(u, def);
}

/* Follow the definitions in the order of the text, with the calls and the
 * definitions in index notation above each, since it may read them, and in the
 * end those behind all.
 */
static void define_all(struct fe_unit *u)
{
	const struct fe_assign *a;

	for (a = u->ast->assign; a; a = a->next)
		if (!a->symbol->define_line)
			a->symbol->define_line = a->loc.line;
	for (a = u->ast->assign; a; a = a->next) {
		fe_calls_follow(u, a->order);
		u->followed = a->order;
		fe_index_check(u, a->order);
		define(u, a);
	}
	fe_calls_follow(u, INT_MAX);
	u->followed = INT_MAX;
	fe_index_check(u, INT_MAX);
}

void fe_check(struct fe_unit *u, const struct fe_define *def, int n_def)
{
	u->type = u->ast->type;
	u->compute = poly_type_compute(u->type);
	if (u->ast->entry)
		u->name = u->ast->entry->name;
	declare_params(u);
	apply_defines(u, def, n_def);
	fe_index_declare(u);
	declare_matrices(u);
	fe_calls_declare(u);
	define_all(u);
	fe_index_outputs(u);
}

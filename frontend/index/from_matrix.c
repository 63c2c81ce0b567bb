/* Matrices as tensors: what follows knows index notation only.
 *
 * Each operation of the expression DAG becomes a definition of two indices;
 * views become positions of the reads:
 *
 *	D = A * B	D(i,j) += A(i,k) * B(k,j)
 *	E = ReLU(D^T)	E(i,j) = relu(D(j,i))
 *	U = D^T		U(i,j) = D(j,i), which only an output needs
 *
 * Values are rounded where the rules of matrices say so: an operation inside a
 * right-hand side is stored in the compute type. A definition that is a
 * transposed operation is computed in place: its indices go over the elements of
 * the result, and it reads its operands transposed.
 */
#include <string.h>

#include "frontend/matrix/matrix.h"
#include "frontend/index/index.h"

/* Add an index called "name" that runs over "size"; NULL: none. */
static struct fe_index *add_index(struct fe_unit *u, struct fe_tensor *t,
	const char *name, const struct fe_size *size)
{
	struct fe_index *i = fe_arena_alloc(&u->arena, sizeof(*i)), **at;

	i->symbol = fe_symbol_find(u, name, strlen(name));
	i->slot = t->n_slot++;
	fe_range_dim(u, i, size);
	for (at = &t->scope.first; *at; at = &(*at)->next)
		;
	*at = i;
	t->scope.n++;
	return i;
}

/* A definition with two indices, at "def" if that is one of the text, else at
 * "loc"; its indices and its value are yet to come.
 */
static struct fe_tensor *new_tensor(struct fe_unit *u,
	struct fe_symbol *symbol, struct fe_def *def,
	const struct poly_loc *loc, enum poly_type type)
{
	struct fe_tensor *t = fe_arena_alloc(&u->arena, sizeof(*t));

	t->symbol = symbol;
	t->def = def;
	t->loc = def ? def->loc : *loc;
	t->has_type = true;
	t->type = type;
	t->rank = 2;
	t->update = POLY_OP_NONE;
	t->piece = fe_arena_alloc(&u->arena, sizeof(*t->piece));
	t->piece->loc = loc ? *loc : def->loc;
	return t;
}

/* Index "i" as a subscript of a read, or 0 if there is none. */
static struct fe_scalar *index_value(struct fe_unit *u,
	const struct fe_tensor *t, struct fe_index *i)
{
	struct fe_scalar *e = fe_scalar_new(u, i ? FE_S_INDEX : FE_S_NUMBER,
		&t->piece->loc);

	e->index = i;
	e->whole = !i;
	e->affine = true;
	return e;
}

/* Element [row,column] of "n" as it is read by "t"; a constant has the type
 * "type".
 */
static struct fe_scalar *read_node(struct fe_unit *u, struct fe_tensor *t,
	const struct fe_node *n, struct fe_index *row, struct fe_index *column,
	enum poly_type type)
{
	struct fe_index *const from[3] = { row, column, NULL };
	const struct fe_node *base = n->base;
	struct fe_scalar *e;

	if (base->kind == FE_CONST) {
		e = fe_scalar_new(u, FE_S_NUMBER, &t->piece->loc);
		e->type = type;
		e->value = base->value;
		return e;
	}
	e = fe_scalar_new(u, FE_S_READ, &t->piece->loc);
	e->tensor = fe_from_matrix(u, base);
	e->symbol = e->tensor->symbol;
	e->type = e->tensor->type;
	e->n_arg = 2;
	e->arg[0] = index_value(u, t, from[n->select[base->flipped]]);
	e->arg[1] = index_value(u, t, from[n->select[!base->flipped]]);
	e->tensor->is_read = true;
	fe_tensor_need(u, t, e->tensor);
	return e;
}

/* The value of the operation "n". The factor of a product that goes with the rows
 * of the array comes first.
 */
static void make_operation(struct fe_unit *u, struct fe_tensor *t,
	const struct fe_node *n)
{
	bool product = n->kind == FE_PRODUCT;
	struct fe_scalar *e = fe_scalar_new(u, FE_S_OP, &n->loc);
	struct fe_index *i, *j, *k = NULL, *row, *column;
	int first = product && n->flipped;

	i = add_index(u, t, "i", &n->dim[n->flipped]);
	j = add_index(u, t, "j", &n->dim[!n->flipped]);
	if (product) {
		k = add_index(u, t, "k", &n->arg[0]->dim[1]);
		t->update = POLY_OP_ADD;
		t->scope.open = true;
	}
	e->op = product ? POLY_OP_MUL : n->op;
	e->type = u->compute;
	e->n_arg = n->n_arg;
	row = n->flipped ? j : i;
	column = n->flipped ? i : j;
	e->arg[first] = read_node(u, t, n->arg[0], row, product ? k : column,
		u->compute);
	if (n->n_arg == 2)
		e->arg[!first] = read_node(u, t, n->arg[1],
			product ? k : row, column, u->compute);
	t->piece->value = e;
}

struct fe_tensor *fe_from_matrix(struct fe_unit *u, const struct fe_node *n)
{
	struct fe_node *node = (struct fe_node *)n;
	struct fe_symbol *symbol;
	struct fe_tensor *t;

	if (n->tensor)
		return n->tensor;
	symbol = n->owner ? n->owner->symbol :
		fe_symbol_find(u, n->name, strlen(n->name));
	t = new_tensor(u, symbol, n->def, &n->loc,
		n->rounded || n->kind == FE_INPUT ? u->type : u->compute);
	t->node = n;
	node->tensor = t;
	if (n->kind == FE_INPUT) {
		t->is_input = true;
		t->piece = NULL;
		add_index(u, t, "i", &n->dim[0]);
		add_index(u, t, "j", &n->dim[1]);
	} else {
		make_operation(u, t, n);
	}
	return t;
}

void fe_from_def(struct fe_unit *u, struct fe_def *def)
{
	const struct fe_node *n;
	struct fe_index *i, *j;
	struct fe_tensor *t;

	for (n = def->first; n && n->owner == def; n = n->next)
		if (n->kind == FE_OP || n->kind == FE_PRODUCT)
			fe_index_check_one(u, fe_from_matrix(u, n));
	if (def->owns_node) {
		def->tensor = def->node->base->tensor;
		return;
	}
	def->tensor = t = new_tensor(u, def->symbol, def, NULL, u->type);
	i = add_index(u, t, "i", &def->node->dim[0]);
	j = add_index(u, t, "j", &def->node->dim[1]);
	t->piece->value = read_node(u, t, def->node, i, j, u->type);
	fe_index_check_one(u, t);
}

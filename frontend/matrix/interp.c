/* The reference interpreter: elements of a unit's matrices, on demand.
 *
 * An element is evaluated by its definition, and remembered. Beside the value
 * in the program's own types stands a value in long double ("wide") with a
 * bound for the distance between it and what any correct program computes:
 * one that sums in any order and fuses a product with a sum or not.
 *
 * How the bound comes about, with u the unit roundoff of a type, t its
 * smallest subnormal, and x a wide value with the bound e:
 *
 *	rounding	e + u (|x| + e) + t
 *	function	infinite if e is, since x may be no number; else the
 *			larger distance to its values at x - e and x + e
 *			(all are monotone), then an error of n ulps, n from
 *			op.def: (2n + 1) u (|x| + e) + (n + 1) t
 *	product of sums	no term is rounded more than K + 1 times, so with
 *			g = (K + 1) u / (1 - (K + 1) u) and the sum A of
 *			(|x| + e) (|y| + f): sum (|x| f + |y| e + e f) + g A +
 *			(K + 1) t
 *
 * A result that may lie beyond the range of its type, or that is no number,
 * has an infinite bound. u is taken a little larger than it is, which covers
 * the errors of the wide values themselves. Integers are exact, and so are
 * floats in the ring (ring.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/c/c_internal.h"
#include "frontend/index/index.h"
#include "frontend/base/value.h"

/* An element: its position plus one, and its values; "ring" is what a float is
 * in the ring.
 */
struct cell {
	uint64_t key;
	union {
		double exact;
		int64_t ring;
	};
	long double wide, bound;
};

/* An element that is remembered counts like that many operations. */
enum { CELL_COST = 16 };

/* The elements of a node that were evaluated, found by hashing. */
struct memo {
	struct cell *cell;
	size_t n, cap;
};

/* An element that is being evaluated: of its operands, "ready" are known. */
struct task {
	const struct fe_node *node;
	int64_t i, j;
	int64_t ready;
};

struct fe_interp {
	struct fe_c_interp *c;		/* of a C nest; the rest is empty */
	const struct fe_unit *unit;
	struct fe_index_interp *index;	/* does all, if the unit has any */
	int64_t *param;
	const void **data;	/* of each node that is an input */
	struct memo *memo;	/* of each node */
	struct task *task;	/* each waits for the next one */
	size_t n_task, cap_task;
	struct fe_work work;
};

/* ----------------------------------------------------------------- memo */

static struct cell *find_cell(const struct memo *m, uint64_t key)
{
	uint64_t i = key * 0x9e3779b97f4a7c15u;

	i = (i ^ i >> 32) & (m->cap - 1);
	while (m->cell[i].key && m->cell[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->cell[i];
}

static bool grow_memo(struct memo *m)
{
	struct memo bigger = { .n = m->n, .cap = m->cap ? 2 * m->cap : 16 };
	size_t i;

	bigger.cell = calloc(bigger.cap, sizeof(*bigger.cell));
	if (!bigger.cell)
		return false;
	for (i = 0; i < m->cap; i++)
		if (m->cell[i].key)
			*find_cell(&bigger, m->cell[i].key) = m->cell[i];
	free(m->cell);
	*m = bigger;
	return true;
}

static bool remember(struct memo *m, const struct cell *c)
{
	if (4 * (m->n + 1) > 3 * m->cap && !grow_memo(m))
		return false;
	*find_cell(m, c->key) = *c;
	m->n++;
	return true;
}

/* --------------------------------------------------------------- values */

static int64_t size_value(const struct fe_interp *in, const struct fe_size *s)
{
	return s->param ? in->param[s->param->index] : s->value;
}

static bool is_float(const struct fe_interp *in)
{
	return poly_type_is_float(in->unit->type);
}

static bool is_ring(const struct fe_interp *in)
{
	return in->work.ring && is_float(in);
}

/* Unit roundoff of "t", with something to spare. */
static long double unit_of(enum poly_type t)
{
	return fe_number_unit(t) * (1 + ldexpl(1, -6));
}

/* A value that every program computes exactly. */
static void set_exact(struct cell *c, double value)
{
	c->exact = value;
	c->wide = value;
	c->bound = isfinite(value) ? 0 : INFINITY;
}

static void set_ring(struct cell *c, int64_t value)
{
	c->ring = value;
	c->wide = value;
	c->bound = 0;
}

/* Widen the bound of "c" if the value may be beyond the range of "t". */
static void check_range(struct cell *c, enum poly_type t)
{
	if (!(fabsl(c->wide) + c->bound <= fe_number_max(t)))
		c->bound = INFINITY;
}

/* Add to the bound a result in "t" that is off by "ulp" units in the last
 * place beyond correct rounding.
 */
static void add_rounding(struct cell *c, enum poly_type t, int ulp)
{
	long double u = unit_of(t) * (2 * ulp + 1);

	c->bound += u * (fabsl(c->wide) + c->bound);
	c->bound += (ulp + 1) * fe_number_tiny(t);
	check_range(c, t);
}

static void round_cell(const struct fe_interp *in, struct cell *c)
{
	enum poly_type t = in->unit->type;

	if (t == in->unit->compute)
		return;
	if (is_ring(in)) {
		set_ring(c, fe_ring_wrap(t, (uint64_t)c->ring));
		return;
	}
	c->exact = fe_number_round(t, c->exact);
	if (is_float(in))
		add_rounding(c, t, 0);
	else
		set_exact(c, c->exact);
}

/* Look up element [i,j] of "n": an input, a constant, or remembered. False if
 * it has to be evaluated first.
 */
static bool look_up(const struct fe_interp *in, const struct fe_node *n,
	int64_t i, int64_t j, struct cell *c)
{
	const int64_t from[3] = { i, j, 0 };
	const struct fe_node *base = n->base;
	const struct memo *memo = &in->memo[base->id];
	uint64_t at;

	if (base->kind == FE_CONST) {
		if (is_ring(in))
			set_ring(c, fe_ring_const(in->unit->compute,
				base->value));
		else
			set_exact(c, base->value);
		return true;
	}
	at = (uint64_t)(from[n->select[0]] * size_value(in, &base->dim[1]) +
		from[n->select[1]]);
	if (base->kind == FE_INPUT) {
		if (is_ring(in))
			set_ring(c, fe_ring_load(in->unit->type,
				in->data[base->id], (int64_t)at));
		else
			set_exact(c, fe_number_load(in->unit->type,
				in->data[base->id], (int64_t)at));
		return true;
	}
	if (!memo->cap || !find_cell(memo, at + 1)->key)
		return false;
	*c = *find_cell(memo, at + 1);
	return true;
}

/* ----------------------------------------------------------- operations */

static long double wide_function(enum poly_op op, long double x)
{
	switch (op) {
	case POLY_OP_EXP:
		return expl(x);
	case POLY_OP_LOG:
		return logl(x);
	case POLY_OP_SQRT:
		return sqrtl(x);
	case POLY_OP_TANH:
		return tanhl(x);
	default:
		return 1 / (1 + expl(-x));
	}
}

/* A monotone function: its values at the ends of the argument's interval
 * bound its values between.
 */
static void apply_monotone(struct cell *c, enum poly_op op,
	const struct cell *a)
{
	long double low = wide_function(op, a->wide - a->bound);
	long double high = wide_function(op, a->wide + a->bound);

	c->wide = wide_function(op, a->wide);
	c->bound = fmaxl(c->wide - low, high - c->wide);
	c->bound += ldexpl(fabsl(c->wide), -60);
	if (isnan(low) || isnan(high) || isnan(c->bound) || isinf(a->bound))
		c->bound = INFINITY;
}

static void wide_operation(struct cell *c, enum poly_op op, enum poly_type t,
	const struct cell *a, const struct cell *b)
{
	switch (op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
		c->wide = op == POLY_OP_ADD ? a->wide + b->wide :
			a->wide - b->wide;
		c->bound = a->bound + b->bound;
		break;
	case POLY_OP_MUL:
		c->wide = a->wide * b->wide;
		c->bound = fabsl(a->wide) * b->bound +
			fabsl(b->wide) * a->bound + a->bound * b->bound;
		break;
	case POLY_OP_MIN:
	case POLY_OP_MAX:
		c->wide = op == POLY_OP_MIN ? fminl(a->wide, b->wide) :
			fmaxl(a->wide, b->wide);
		c->bound = fmaxl(a->bound, b->bound);
		return;
	case POLY_OP_NEG:
	case POLY_OP_ABS:
	case POLY_OP_RELU:
		c->wide = op == POLY_OP_NEG ? -a->wide :
			op == POLY_OP_ABS ? fabsl(a->wide) :
			a->wide > 0 || isnan(a->wide) ? a->wide : 0;
		c->bound = a->bound;
		return;
	default:
		apply_monotone(c, op, a);
		break;
	}
	add_rounding(c, t, poly_op_ulp(op));
}

/* The operation "n" on known operands. */
static void evaluate_op(const struct fe_interp *in, const struct fe_node *n,
	int64_t i, int64_t j, struct cell *c)
{
	enum poly_type t = in->unit->compute;
	struct cell a, b = { 0 };

	look_up(in, n->arg[0], i, j, &a);
	if (n->n_arg == 2)
		look_up(in, n->arg[1], i, j, &b);
	if (is_ring(in)) {
		set_ring(c, fe_ring_apply(n->op, t, (int64_t[]) { a.ring,
			b.ring }));
		return;
	}
	c->exact = fe_number_apply(n->op, t, a.exact, b.exact);
	if (!is_float(in))
		set_exact(c, c->exact);
	else if (isinf(a.bound) || isinf(b.bound)) {
		c->wide = c->exact;
		c->bound = INFINITY;
	} else
		wide_operation(c, n->op, t, &a, &b);
}

/* The error that summing "terms" terms adds, which sum to "size" with all
 * signs positive.
 */
static void add_sum_rounding(struct cell *c, enum poly_type t,
	long double size, int64_t terms)
{
	long double u = unit_of(t) * (long double)(terms + 1);

	if (u >= 1 || !(size / (1 - u) <= fe_number_max(t))) {
		c->bound = INFINITY;
		return;
	}
	c->bound += u / (1 - u) * size;
	c->bound += (long double)(terms + 1) * fe_number_tiny(t);
	check_range(c, t);
}

/* One term of a product: its value, and what it adds to the bound and to the
 * sum with positive signs.
 */
static void add_term(struct cell *c, enum poly_type t, const struct cell *x,
	const struct cell *y, long double *size)
{
	long double ax = fabsl(x->wide), ay = fabsl(y->wide);
	double term = fe_number_apply(POLY_OP_MUL, t, x->exact, y->exact);

	c->exact = fe_number_apply(POLY_OP_ADD, t, c->exact, term);
	c->wide += x->wide * y->wide;
	if (isinf(x->bound) || isinf(y->bound)) {
		c->bound = INFINITY;
		return;
	}
	c->bound += ax * y->bound + ay * x->bound + x->bound * y->bound;
	*size += (ax + x->bound) * (ay + y->bound);
}

/* The same in the ring. */
static void ring_product(const struct fe_interp *in, const struct fe_node *n,
	int64_t i, int64_t j, struct cell *c)
{
	int64_t k, terms = size_value(in, &n->arg[0]->dim[1]);
	struct cell x, y;
	uint64_t sum = 0;

	for (k = 0; k < terms; k++) {
		look_up(in, n->arg[0], i, k, &x);
		look_up(in, n->arg[1], k, j, &y);
		sum += (uint64_t)x.ring * (uint64_t)y.ring;
	}
	set_ring(c, fe_ring_wrap(in->unit->compute, sum));
}

/* The product "n" of known operands. */
static void evaluate_product(const struct fe_interp *in,
	const struct fe_node *n, int64_t i, int64_t j, struct cell *c)
{
	int64_t k, terms = size_value(in, &n->arg[0]->dim[1]);
	enum poly_type t = in->unit->compute;
	long double size = 0;
	struct cell x, y;

	if (is_ring(in)) {
		ring_product(in, n, i, j, c);
		return;
	}
	set_exact(c, 0);
	for (k = 0; k < terms; k++) {
		look_up(in, n->arg[0], i, k, &x);
		look_up(in, n->arg[1], k, j, &y);
		add_term(c, t, &x, &y, &size);
	}
	if (!is_float(in))
		set_exact(c, c->exact);
	else if (terms)
		add_sum_rounding(c, t, size, terms);
}

/* ---------------------------------------------------------------- tasks */

/* Number of operands of an element of "n". */
static int64_t count_operands(const struct fe_interp *in,
	const struct fe_node *n)
{
	if (n->kind == FE_OP)
		return n->n_arg;
	return 2 * size_value(in, &n->arg[0]->dim[1]);
}

/* Begin to evaluate element [i,j] of "n", as an element of its base; false
 * without memory, or if that is too much.
 */
static bool add_task(struct fe_interp *in, const struct fe_node *n, int64_t i,
	int64_t j)
{
	const int64_t from[3] = { i, j, 0 };
	size_t cap = in->cap_task ? 2 * in->cap_task : 16;
	struct task *task = in->task;

	if (!fe_work_do(&in->work, CELL_COST +
	    (double)count_operands(in, n->base)))
		return false;
	if (in->n_task == in->cap_task) {
		task = realloc(task, cap * sizeof(*task));
		if (!task)
			return false;
		in->task = task;
		in->cap_task = cap;
	}
	task[in->n_task++] = (struct task) {
		.node = n->base,
		.i = from[n->select[0]],
		.j = from[n->select[1]],
	};
	return true;
}

/* Find the task's first operand that is not known and begin with it; false
 * without memory. "*added" tells whether there is one.
 */
static bool add_operand(struct fe_interp *in, struct task *t, bool *added)
{
	int64_t n = count_operands(in, t->node), k;
	struct cell c;

	for (; t->ready < n; t->ready++) {
		const struct fe_node *arg = t->node->arg[t->ready & 1];
		int64_t i = t->i, j = t->j;

		k = t->ready / 2;
		if (t->node->kind == FE_PRODUCT && t->ready & 1)
			i = k;
		else if (t->node->kind == FE_PRODUCT)
			j = k;
		if (look_up(in, arg, i, j, &c))
			continue;
		*added = true;
		return add_task(in, arg, i, j);
	}
	*added = false;
	return true;
}

/* Evaluate the task, whose operands are known, and remember its value. */
static bool finish_task(struct fe_interp *in, const struct task *t)
{
	const struct fe_node *n = t->node;
	struct cell c;

	if (n->kind == FE_OP)
		evaluate_op(in, n, t->i, t->j, &c);
	else
		evaluate_product(in, n, t->i, t->j, &c);
	if (n->rounded)
		round_cell(in, &c);
	c.key = (uint64_t)(t->i * size_value(in, &n->dim[1]) + t->j) + 1;
	return remember(&in->memo[n->id], &c);
}

/* Element [i,j] of "n". Tasks stand in for recursion, since a chain of
 * definitions may be long.
 */
static bool evaluate(struct fe_interp *in, const struct fe_node *n, int64_t i,
	int64_t j, struct cell *c)
{
	bool added;

	if (look_up(in, n, i, j, c))
		return true;
	in->n_task = 0;
	if (!add_task(in, n, i, j))
		return false;
	while (in->n_task) {
		struct task *t = &in->task[in->n_task - 1];

		if (!add_operand(in, t, &added))
			return false;
		if (added)
			continue;
		if (!finish_task(in, t))
			return false;
		in->n_task--;
	}
	return look_up(in, n, i, j, c);
}

/* ------------------------------------------------------------ interface */

/* A parameter that -D fixed keeps that value. "u" must outlive the result;
 * NULL if a value is negative or there is no memory.
 */
struct fe_interp *fe_interp_alloc(const struct fe_unit *u,
	const int64_t *param)
{
	struct fe_interp *in = calloc(1, sizeof(*in));
	const struct fe_param *p;
	size_t nodes = (size_t)u->n_node + 1;

	if (!in)
		return NULL;
	in->unit = u;
	in->work.left = INFINITY;
	if (u->indexed) {
		in->index = fe_index_interp_alloc(u, param, &in->work);
		return in->index ? in : fe_interp_free(in);
	}
	if (u->c) {
		in->c = fe_c_interp_alloc(u, param, &in->work);
		return in->c ? in : fe_interp_free(in);
	}
	in->param = calloc((size_t)u->n_param + 1, sizeof(*in->param));
	in->data = calloc(nodes, sizeof(*in->data));
	in->memo = calloc(nodes, sizeof(*in->memo));
	if (!in->param || !in->data || !in->memo)
		return fe_interp_free(in);
	for (p = u->param; p; p = p->next) {
		in->param[p->index] = p->fixed ? p->value : param[p->index];
		if (in->param[p->index] < 0)
			return fe_interp_free(in);
	}
	return in;
}

/* Free "in", which may be NULL; returns NULL. */
struct fe_interp *fe_interp_free(struct fe_interp *in)
{
	int i;

	if (!in)
		return NULL;
	fe_index_interp_free(in->index);
	fe_c_interp_free(in->c);
	for (i = 0; in->memo && i < in->unit->n_node; i++)
		free(in->memo[i].cell);
	free(in->memo);
	free(in->task);
	free(in->data);
	free(in->param);
	free(in);
	return NULL;
}

/* The data must stay as it is while elements are evaluated. False if there
 * is no such input.
 */
bool fe_interp_set_input(struct fe_interp *in, const char *name,
	const void *data)
{
	const struct fe_node *n;

	if (in->index)
		return fe_index_interp_set(in->index, name, data);
	if (in->c)
		return fe_c_interp_set_input(in->c, name, data);
	for (n = in->unit->input; n && n->kind == FE_INPUT; n = n->next) {
		if (strcmp(n->array, name))
			continue;
		in->data[n->id] = data;
		return true;
	}
	return false;
}

/* The node of the matrix "name": of an output or input as fe_unit_output and
 * fe_unit_input call it, or else the newest definition of that name. NULL if
 * there is none.
 */
static const struct fe_node *find_matrix(const struct fe_unit *u,
	const char *name)
{
	const struct fe_output *o;
	const struct fe_node *n;
	const struct fe_def *def;

	for (o = u->output; o; o = o->next)
		if (!strcmp(o->def->array, name))
			return o->def->node;
	for (n = u->input; n && n->kind == FE_INPUT; n = n->next)
		if (!strcmp(n->array, name))
			return n;
	for (def = u->last_def; def; def = def->prev)
		if (!strcmp(def->symbol->name, name))
			return def->node;
	return NULL;
}

int fe_interp_shape(struct fe_interp *in, const char *name,
	int64_t dim[FE_MAX_DIM])
{
	const struct fe_node *n;

	if (in->index)
		return fe_index_interp_shape(in->index, name, dim);
	if (in->c)
		return fe_c_interp_shape(in->c, name, dim);
	n = find_matrix(in->unit, name);
	if (!n)
		return -1;
	dim[0] = size_value(in, &n->dim[0]);
	dim[1] = size_value(in, &n->dim[1]);
	return 2;
}

/* True if all inputs that are read are set. */
static bool has_inputs(const struct fe_interp *in)
{
	const struct fe_node *n;

	for (n = in->unit->input; n && n->kind == FE_INPUT; n = n->next)
		if (n->read && !in->data[n->id])
			return false;
	return true;
}

/* True if "index" is an element of the matrix "name". */
static bool is_inside(struct fe_interp *in, const char *name,
	const int64_t *index)
{
	int64_t dim[FE_MAX_DIM];
	int n_dim = fe_interp_shape(in, name, dim), d;

	for (d = 0; d < n_dim; d++)
		if (index[d] < 0 || index[d] >= dim[d])
			return false;
	return n_dim >= 0;
}

void fe_interp_limit(struct fe_interp *in, double operations)
{
	in->work.left = operations;
	in->work.spent = false;
}

bool fe_interp_spent(const struct fe_interp *in)
{
	return in->work.spent;
}

void fe_interp_set_ring(struct fe_interp *in)
{
	in->work.ring = true;
}

bool fe_interp_is_whole(const struct fe_interp *in)
{
	return in->c != NULL;
}

/* False if there is no such element, if an input that is read was not set,
 * without memory, or if it took more than is allowed.
 */
bool fe_interp_eval(struct fe_interp *in, const char *name,
	const int64_t *index, struct fe_value *v)
{
	const struct fe_node *n;
	struct cell c = { 0 };

	if (in->index)
		return fe_index_interp_eval(in->index, name, index, v);
	if (in->c)
		return is_inside(in, name, index) &&
			fe_c_interp_eval(in->c, name, index, v);
	n = find_matrix(in->unit, name);
	if (!is_inside(in, name, index) || !has_inputs(in) ||
	    !evaluate(in, n, index[0], index[1], &c))
		return false;
	if (is_ring(in)) {
		*v = (struct fe_value) { .exact = (double)c.ring,
			.integer = c.ring, .wide = (double)c.ring };
		return true;
	}
	v->exact = c.exact;
	v->integer = is_float(in) ? 0 : (int64_t)c.exact;
	v->wide = (double)c.wide;
	v->bound = (double)(c.bound * (1 + ldexpl(1, -30)));
	if (v->bound > 0)
		v->bound = nextafter(v->bound, INFINITY);
	if ((long double)v->wide != c.wide && !isnan(v->wide))
		v->bound += ldexp(fabs(v->wide), -52);
	return true;
}

/* Counts two operations for a term of a product, one for any other element. */
double fe_interp_cost(struct fe_interp *in)
{
	const struct fe_node *n;
	double cost = 0;

	if (in->index)
		return fe_index_interp_cost(in->index);
	if (in->c)
		return fe_c_interp_cost(in->c);
	for (n = in->unit->node; n; n = n->next) {
		double elements = (double)size_value(in, &n->dim[0]) *
			(double)size_value(in, &n->dim[1]);

		if (n->kind == FE_OP && n->owner->live)
			cost += elements;
		if (n->kind == FE_PRODUCT && n->owner->live)
			cost += 2 * elements *
				(double)size_value(in, &n->arg[0]->dim[1]);
	}
	return cost;
}

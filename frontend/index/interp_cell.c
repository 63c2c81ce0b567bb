/* The interpreter: definitions that are updated at positions that data tell.
 *
 * All terms of one are looked at once; each goes to its cell, in the order of the
 * indices. What is outside of the box goes nowhere.
 */
#include <stdlib.h>

#include "frontend/index/interp_index.h"

struct filler {
	struct fe_index_interp *in;
	struct fe_interp_object *o;
	const struct fe_scalar *e;	/* the reduction */
	const struct fe_index *own[FE_MAX_RANK];	/* that data do not tell */
	int n_own;
	bool missing;
};

/* Is the cell that "c" says meant, and inside? Its positions become the indices. */
static bool meant_cell(struct filler *f, const struct fe_scalar *c)
{
	struct fe_index_interp *in = f->in;
	struct fe_number v;

	if (c->cell) {
		v = fe_interp_position(in, c->arg[0]);
		in->index[c->arg[1]->index->slot] = v.i;
		return !in->missing && !in->failed;
	}
	if (c->op == POLY_OP_AND && c->logic)
		return meant_cell(f, c->arg[0]) && meant_cell(f, c->arg[1]);
	v = fe_interp_scalar(in, c);
	return !in->missing && !in->failed && v.i;
}

/* The cell at the indices that are set; NULL: there is none. */
static struct fe_sum *cell_here(struct filler *f)
{
	const struct fe_index *i = f->o->tensor->scope.first;
	const struct fe_scalar *c;
	int64_t at = 0, k;

	for (int d = 0; d < f->o->tensor->rank; d++, i = i->next) {
		k = f->in->index[i->slot] - f->o->first[d];
		if (k < 0 || k >= f->o->size[d])
			return NULL;
		at = at * f->o->size[d] + k;
	}
	for (c = f->o->tensor->scope.condition; c; c = c->next)
		if (!fe_interp_holds(f->in, c))
			return NULL;
	return &f->o->cell[at];
}

/* Add the term at the indices that are set to its cell. */
static void add_term(struct filler *f)
{
	struct fe_index_interp *in = f->in;
	const struct fe_scalar *c;
	struct fe_number x;
	struct fe_sum *s;

	for (c = f->e->scope->condition; c; c = c->next)
		if (!fe_interp_holds(in, c))
			return;
	in->missing = false;
	s = meant_cell(f, f->e->arg[1]) ? cell_here(f) : NULL;
	if (s) {
		x = fe_interp_scalar(in, f->e->arg[0]);
		fe_interp_cast(s->type, poly_type_compute(f->e->arg[0]->type),
			&x);
		if (!in->missing)
			fe_sum_add(s, &x);
	}
	f->missing |= in->missing;
}

/* Go over the own indices from "d" on, then over "i" and those behind it. */
static void go_over(struct filler *f, int d, const struct fe_index *i)
{
	const struct fe_index *loop = d < f->n_own ? f->own[d] : i;
	int64_t first, last, k;

	if (!loop) {
		fe_interp_work(f->in, 1);
		add_term(f);
		return;
	}
	fe_interp_range(f->in, loop, &first, &last);
	for (k = first; k <= last && !f->in->failed; k++) {
		f->in->index[loop->slot] = k;
		go_over(f, d + 1, d < f->n_own ? i : i->next);
	}
}

bool fe_interp_fill_cells(struct fe_index_interp *in, struct fe_interp_object *o)
{
	const struct fe_tensor *t = o->tensor;
	const struct fe_index *i = t->scope.first;
	struct filler f = { .in = in, .o = o, .e = fe_tensor_cells(t) };
	int64_t n = 1;

	for (int d = 0; d < t->rank; d++, i = i->next) {
		n *= o->size[d];
		if (!i->told)
			f.own[f.n_own++] = i;
	}
	o->cell = calloc((size_t)n + 1, sizeof(*o->cell));
	in->failed |= !o->cell;
	for (int64_t k = 0; k < n && o->cell; k++)
		fe_sum_begin(&o->cell[k], f.e->op, t->type, in->work->ring);
	if (o->cell)
		go_over(&f, 0, f.e->scope->first);
	in->missing = f.missing;
	if (!f.missing && !in->failed)
		return true;
	free(o->cell);
	o->cell = NULL;
	return false;
}

struct fe_number fe_interp_cell(struct fe_index_interp *in,
	struct fe_interp_object *o, uint64_t at)
{
	const struct fe_tensor *t = o->tensor;
	struct fe_sum s = o->cell[at];
	struct fe_number x = fe_interp_stored(in, t->start, t->type);

	fe_interp_cast(s.type, t->type, &x);
	fe_sum_add(&s, &x);
	x = fe_sum_end(&s);
	fe_interp_cast(t->type, s.type, &x);
	return x;
}

double fe_interp_cells_cost(const struct fe_index_interp *in,
	const struct fe_tensor *t)
{
	const struct fe_index *i = t->scope.first;
	const struct fe_scalar *e = fe_tensor_cells(t);
	double terms = fe_interp_count_box(in, e->scope->first), cells = 1;
	struct fe_index one;

	for (int d = 0; d < t->rank; d++, i = i->next) {
		one = *i;
		one.next = NULL;
		cells *= fe_interp_count_box(in, &one);
		if (!i->told)
			terms *= fe_interp_count_box(in, &one);
	}
	return terms * (1 + fe_interp_count(in, e->arg[0]) +
		fe_interp_count(in, e->arg[1])) +
		cells * (1 + fe_interp_count(in, t->start));
}

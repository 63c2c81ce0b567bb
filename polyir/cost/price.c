/* What one kernel of any kind is expected to take, counted, not run.
 *
 * Each level of the device takes some cycles for all that the launches do, if it is all
 * that there is to wait for:
 *
 *	memory	the bytes that are read and written, each once, at the rate of memory,
 *		or at the rate at which the threads that are resident have bytes on
 *		their way, if these are few
 *	cache	sectors of 32 bytes that warps ask for, and the asking; atomic updates
 *	shared	passes over shared memory
 *	issue	instructions of warps: operators, each at the rate of its unit, accesses,
 *		and the steps of loops
 *	chain	the longest thread: steps one after another, each of which waits;
 *		rounds of blocks, each of which begins with loads; and blocks, of which
 *		the device begins with one after another
 *
 * of which all but the first are those of the busiest multiprocessor. The greatest of them
 * counts, and the others a little, since they overlap: the sum of their fourth powers.
 * Products have no such levels: model.c says what their tiles take, and memory counts
 * beside it. Before all that each launch begins, and in kernels of one block, or of
 * blocks that wait for one another, there is a barrier for each phase.
 *
 * It needs a kernel that is mapped, and fixed sizes, and says how long that takes. Whether
 * loops become launches or one kernel is decided before (polyir/schedule/loop_cost.c).
 *
 * The constants are in rate.def.
 */
#include <math.h>
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/union_map.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/sets/sets.h"
#include "polyir/cost/cost.h"

/* Schedulers of a multiprocessor. */
enum { SCHEDULERS = 4 };

/* A kernel while it is priced: its sizes, what is known of it, and what it takes. */
struct priced {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	const int64_t *size;
	const struct poly_rates *rates;
	struct poly_price *price;
	struct poly_stmt **stmt;	/* of the kernel */
	int n_stmt;
	double instructions;	/* of warps */
	double sectors, requests, passes;
	double updates;		/* cycles of memory, which makes one at a time */
	double asked;		/* bytes of global memory, each time that they are */
	double steps;		/* of the longest thread */
	double threads;		/* of a block */
	int registers;		/* of a thread; 0: not known */
	bool exact;
};

/* "set" for these sizes. */
static __isl_give isl_set *at_sizes(const struct priced *p,
	__isl_take isl_set *set)
{
	for (int i = 0; i < p->prog->n_param; i++)
		set = poly_at_size(p->prog, set, i, p->size[i]);
	return set;
}

/* The instances of "stmt" that run. */
static double instances(struct priced *p, const struct poly_stmt *stmt)
{
	return poly_count_points(at_sizes(p, poly_stmt_runs(stmt)), &p->exact);
}

/* The values of dimension "d" of "set", 1 at least. */
static double extent(__isl_keep isl_set *set, int d)
{
	isl_val *low = isl_set_dim_min_val(isl_set_copy(set), d);
	isl_val *high = isl_set_dim_max_val(isl_set_copy(set), d);
	isl_val *n = isl_val_add_ui(isl_val_sub(high, low), 1);
	double values = isl_val_is_int(n) == isl_bool_true ?
		isl_val_get_d(n) : 1;

	isl_val_free(n);
	return values < 1 ? 1 : values;
}

/* ------------------------------------------------------------------ launches */

/* Multiprocessors that have a block. */
static double busy(const struct priced *p)
{
	return fmin(p->price->blocks, fmax(p->prog->target.multiprocessors, 1));
}

/* How much longer the busiest multiprocessor takes than the mean of all those that
 * have a block.
 */
static double imbalance(const struct priced *p)
{
	double each = p->price->blocks / busy(p);

	return ceil(each) / each;
}

/* ---------------------------------------------------------------- operations */

/* Instructions for the operator "op", once. */
static double one_operator(const struct poly_rates *r, enum poly_op op)
{
	switch (op) {
	case POLY_OP_DIV:
	case POLY_OP_REM:
	case POLY_OP_SQRT:
	case POLY_OP_RSQRT:
		return r->price_division;
	case POLY_OP_EXP:
	case POLY_OP_EXP2:
	case POLY_OP_LOG:
	case POLY_OP_LOG2:
	case POLY_OP_SIGMOID:
	case POLY_OP_TANH:
		return r->price_exponential;
	case POLY_OP_GELU:
	case POLY_OP_ERF:
	case POLY_OP_ERFC:
	case POLY_OP_ERFINV:
	case POLY_OP_POW:
	case POLY_OP_ATAN2:
	case POLY_OP_HYPOT:
		return r->price_power;
	case POLY_OP_NEG:
		return 0;
	default:
		return poly_op_ulp(op) ? r->price_function : 1;
	}
}

/* Instructions for the operators of "e". */
static double operators(const struct poly_rates *r, const struct poly_expr *e)
{
	enum poly_shape shape = e ? poly_op_shape(e->op) : POLY_SHAPE_LEAF;
	double n = 0;

	if (!e)
		return 0;
	if (shape == POLY_SHAPE_CAST)
		n = r->price_cast;
	else if (shape != POLY_SHAPE_LEAF)
		n = one_operator(r, e->op) *
			(e->type == POLY_F64 || poly_type_size(e->type) > 4 ?
			r->price_wide : 1);
	for (int i = 0; i < POLY_MAX_ARG; i++)
		n += operators(r, e->arg[i]);
	return n;
}

double poly_price_operators(const struct poly_prog *prog,
	const struct poly_expr *e)
{
	return operators(poly_rates_of(&prog->target), e);
}

/* What the point statement "s" computes at each point: of a reduction along lines some may
 * be done to its results.
 */
static struct poly_term term_of(const struct priced *p, struct poly_stmt *s)
{
	for (int i = 0; i < p->prog->n_stmt; i++) {
		const struct poly_stmt *op = p->prog->stmt[i];

		if (op->kind == POLY_REDUCE && op->member[0] == s)
			return poly_term_of(p->prog, s);
	}
	return (struct poly_term) { s->rhs, s->reduce };
}

/* Is an update by "t" one instruction with the product that it adds? */
static bool is_fused(const struct poly_term *t)
{
	return t->op == POLY_OP_ADD && t->e->op == POLY_OP_MUL;
}

/* Cycles of the whole device for an atomic update by "s" in memory: cells side by side go
 * together, those that data tell are anywhere.
 */
static double one_update(const struct priced *p, const struct poly_stmt *s)
{
	int last = s->write_array->n_dim - 1;
	int d = last < 0 ? -1 : poly_index_dim(s->write_index, last, s);

	return d >= 0 && !poly_wanted(s, d) ? p->rates->price_beside :
		p->rates->price_update;
}

/* Add what the point statement "s" computes. */
static void add_statement(struct priced *p, struct poly_stmt *s)
{
	double n = instances(p, s);
	struct poly_term t = term_of(p, s);
	double each = operators(p->rates, t.e) + p->rates->price_step +
		(s->reduce != POLY_OP_NONE && !is_fused(&t)) +
		(s->atomic ? p->rates->price_atomic : 0);
	double threads = p->price->launches * p->price->blocks * p->threads;

	p->instructions += n * each / POLY_LANES;
	p->steps += n / threads;
	if (s->atomic && !p->kernel->near)
		p->updates += n * one_update(p, s);
}

/* ------------------------------------------------------------------ accesses */

/* Do rows of "a" begin within a word, so that its elements are asked for by parts? */
static bool is_odd(const struct priced *p, const struct poly_array *a)
{
	return poly_type_size(a->type) < 4 &&
		poly_row_align(p->prog, a) < POLY_RUN_BYTES;
}

/* Cells side by side that a thread of a kernel of points has. */
static int run_of(const struct priced *p)
{
	return p->kernel->vec_k > 1 ? p->kernel->vec_k : 1;
}

/* Does each thread do all that "s" does to its cells in loops that are written out? Into
 * "w", then.
 */
static bool is_swept(struct priced *p, const struct poly_stmt *s, struct poly_swept *w)
{
	const struct poly_kernel *k = p->kernel;
	int last = poly_row_dim(p->prog, s->write_array);

	*w = (struct poly_swept){ .prog = p->prog, .stmt = s, .dim = -1,
		.n = isl_set_dim(s->domain, isl_dim_set) };
	if (k->tiled || k->block || k->near || k->ranked || s->kind != POLY_POINT ||
	    s->across || s->atomic || last < 0 || w->n > POLY_SWEPT_DIMS ||
	    poly_kernel_n_host(p->prog, k) > 0)
		return false;
	for (int d = 0; d < w->n; d++)
		w->inner[d] = s->reduce != POLY_OP_NONE && !poly_swept_moves(w, d);
	w->dim = run_of(p) > 1 ? poly_index_dim(s->write_index, last, s) : -1;
	return poly_swept_is_box(w) && poly_swept_terms(w) <= POLY_SWEPT_TERMS &&
		(poly_swept_terms(w) > 1 || run_of(p) > 1);
}

/* Does the access "a" go to a cell that the thread has in a register: what begins its sum,
 * and what each update reads?
 */
static bool is_kept(struct priced *p, const struct poly_access *a)
{
	bool begun = false, updated = false, update = a->stmt->reduce != POLY_OP_NONE;
	struct poly_swept w;

	if (a->write ? update : !update || a->index != a->stmt->write_index)
		return false;
	for (int i = 0; i < p->n_stmt; i++)
		if (p->stmt[i]->write_array == a->array) {
			update = p->stmt[i]->reduce != POLY_OP_NONE;
			begun |= !update;
			updated |= update && is_swept(p, p->stmt[i], &w);
		}
	return begun && updated;
}

/* The elements that all threads ask for by "a", and how often warps do; where loops are
 * written out, each thread once for what it asks several times.
 */
static void count_access(struct priced *p, const struct poly_access *a, double *all, double *n)
{
	struct poly_swept w;
	struct poly_reach r;
	int vector = a->vector;

	*all = instances(p, a->stmt);
	if (a->array->space == POLY_GLOBAL && a->index && is_swept(p, a->stmt, &w) &&
	    poly_reach_of(&w, a->array, a->index, &r))
		*all *= poly_reach_loads(p->prog, a->array, &r, run_of(p), &vector) *
			vector / (run_of(p) * poly_swept_terms(&w));
	*n = *all / ((double)a->lanes * vector);
}

/* Add one access of the first warp, as often as all warps do it. */
static void add_access(struct priced *p, const struct poly_access *a)
{
	double all, n;

	if (!a->lanes || is_kept(p, a))
		return;
	count_access(p, a, &all, &n);
	p->instructions += n * (a->bulk ? 0 : p->rates->price_access);
	if (a->array->space == POLY_SHARED) {
		p->passes += n * a->transactions;
		return;
	}
	if (is_odd(p, a->array))
		p->instructions += all / POLY_LANES * p->rates->price_odd;
	p->asked += all * poly_type_size(a->array->type);
	p->sectors += n * a->transactions;
	p->requests += n;
}

/* ------------------------------------------------------------------ products */

/* The operations of the kernel that are products. */
static bool is_product(const struct priced *p, const struct poly_stmt *op)
{
	return op->kind == POLY_CONTRACT && op->n_member == 1 &&
		op->member[0]->at &&
		poly_kernel_of(p->prog, op) == p->kernel;
}

/* What the product "op" has to do, into "w". */
static void find_work(struct priced *p, const struct poly_stmt *op,
	struct poly_work *w)
{
	struct poly_stmt *s = op->member[0];
	isl_set *points = at_sizes(p, isl_set_preimage_multi_aff(
		isl_set_copy(s->domain), isl_multi_aff_copy(s->at)));
	int first = 3 + poly_kernel_n_host(p->prog, p->kernel);

	poly_work_begin(w, p->prog);
	poly_work_add(w, p->prog, s, s->at, NULL);
	for (int d = 0; d < 2; d++)
		w->points[d] = extent(points, d);
	for (int d = 0; d < p->kernel->n_batch; d++)
		w->batch *= extent(points, first + d);
	isl_set_free(points);
	w->steps = fmax(instances(p, s) / (p->price->launches * w->batch *
		w->points[0] * w->points[1]), 1);
}

/* The cycles of all products of the kernel; 0 if it has none. */
static double product_cycles(struct priced *p)
{
	struct poly_block b = poly_kernel_block(p->kernel);
	struct poly_estimate e;
	struct poly_work w;
	double cycles = 0;

	for (int i = 0; i < p->prog->n_stmt; i++) {
		if (!is_product(p, p->prog->stmt[i]))
			continue;
		find_work(p, p->prog->stmt[i], &w);
		cycles += p->price->launches * poly_block_cycles(&w, &b, &e);
	}
	return cycles * p->rates->price_product;
}

/* --------------------------------------------------------------------- width */

/* The values of the parallel members of the band "node" on "domain". */
static double band_width(struct priced *p, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_set *domain)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	int n = isl_multi_union_pw_aff_size(partial);
	double width = 1;

	for (int i = 0; i < n; i++)
		if (isl_schedule_node_band_member_get_coincident(node, i) ==
		    isl_bool_true)
			width *= fmax(poly_value_count(p->prog, domain,
				isl_multi_union_pw_aff_get_at(partial, i)), 1);
	isl_multi_union_pw_aff_free(partial);
	return width;
}

/* The iterations of the parallel loops of the kernel around the leaf "node". */
static double parallel_loops(struct priced *p,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	isl_schedule_node *at = isl_schedule_node_copy(node);
	double n = 1;

	while (!poly_mark_kernel(at) &&
	       isl_schedule_node_has_parent(at) == isl_bool_true) {
		at = isl_schedule_node_parent(at);
		if (isl_schedule_node_get_type(at) == isl_schedule_node_band)
			n *= band_width(p, at, domain);
	}
	isl_schedule_node_free(at);
	isl_union_set_free(domain);
	return n;
}

/* Callback of find_width: note the parallel iterations of a leaf, if these are most. */
static isl_bool look_at_leaf(__isl_keep isl_schedule_node *node, void *user)
{
	struct priced *p = user;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_leaf)
		p->price->width = fmax(p->price->width, parallel_loops(p,
			node));
	return isl_bool_true;
}

/* The iterations of a launch that could run side by side: points of tiles; those of
 * parallel loops; terms of the "n" statements "stmt" that are sums of any order.
 */
static void find_width(struct priced *p, struct poly_stmt **stmt, int n)
{
	const struct poly_kernel *k = p->kernel;
	isl_schedule_node *node = poly_kernel_node(p->prog, k);

	if (k->tiled)
		p->price->width = p->price->blocks * k->tile[0] * k->tile[1];
	else
		isl_schedule_node_foreach_descendant_top_down(node,
			look_at_leaf, p);
	isl_schedule_node_free(node);
	for (int i = 0; i < n && p->prog->fp != POLY_FP_STRICT; i++)
		if (stmt[i]->reduce != POLY_OP_NONE)
			p->price->width = fmax(p->price->width, instances(p,
				stmt[i]) / p->price->launches);
}

/* -------------------------------------------------------------------- levels */

/* The barriers that a kernel of loops has in all: those of its phases. */
static double phases(struct priced *p)
{
	double n = 0;

	for (int i = 0; p->kernel->block && i < p->prog->n_stmt; i++) {
		const struct poly_stmt *s = p->prog->stmt[i];

		if (s->kind == POLY_SYNC &&
		    poly_kernel_of(p->prog, s) == p->kernel)
			n += instances(p, s);
	}
	return p->kernel->apart ? n / p->price->blocks : n;
}

/* Blocks that a multiprocessor has room for: small ones are limited by their number. */
static double room(const struct priced *p)
{
	double most = p->prog->target.threads ? p->prog->target.threads : 2048;
	double blocks = p->prog->target.blocks ? p->prog->target.blocks : 32;

	if (p->registers > 0)
		most = fmin(most, POLY_REGISTERS / (double)p->registers);
	return fmax(fmin(floor(most / p->threads), blocks), 1);
}

/* The cycles of memory, which the threads that are there keep busy or not. The bytes that
 * the kernel reads and writes are those of one launch, and all launches together have no
 * more than what they ask for.
 */
static void price_memory(struct priced *p, const struct poly_kernel_work *work)
{
	const struct poly_rates *r = p->rates;
	double all = (work->read + work->written) * p->price->launches;
	double once = work->read + work->written;
	double bytes = p->asked > 0 ? fmax(once, fmin(all, p->asked)) : all;
	double read = once > 0 ? bytes * work->read / once : 0;
	double threads = p->threads;
	double each = read / (p->price->launches * p->price->blocks * threads);
	double flight = fmin(fmax(each, 4), r->price_flight);
	double there = threads * fmin(room(p), ceil(p->price->blocks / busy(p)));
	double rate = busy(p) * there * flight / r->price_latency;

	if (p->price->product > 0 || rate > r->price_memory)
		rate = r->price_memory;
	p->price->memory = bytes / rate;
	if (poly_cluster(p->kernel, 0) * poly_cluster(p->kernel, 1) > 1 &&
	    !p->kernel->tile_k)
		p->price->memory *= r->price_cluster;
}

/* The cycles of the levels within a multiprocessor. */
static void price_levels(struct priced *p)
{
	const struct poly_rates *r = p->rates;
	double share = imbalance(p) / busy(p);
	double rounds = ceil(p->price->blocks / (busy(p) * room(p)));

	p->price->cache = fmax(p->sectors * POLY_SECTOR / r->price_sectors,
		p->requests * r->price_request) * share + p->updates;
	p->price->shared = p->passes * share;
	p->price->issue = p->instructions / SCHEDULERS * share;
	p->price->chain = p->price->launches * fmax(fmax(p->steps * r->price_chain,
		p->price->blocks * r->price_block), p->price->product > 0 ||
		rounds < 2 ? 0 : rounds * r->price_round);
}

/* All that overlaps: the greatest, and a little of the others. */
static double overlapped(const struct poly_price *e)
{
	const double level[] = { e->memory, e->cache, e->shared, e->issue,
		e->chain, e->product };
	double most = 0, sum = 0;

	for (int i = 0; i < 6; i++)
		most = fmax(most, level[i]);
	for (int i = 0; i < 6 && most > 0; i++)
		sum += pow(level[i] / most, 4);
	return most * pow(sum, 0.25);
}

/* What comes before and between: launches, the first bytes, phases. */
static double fixed(struct priced *p)
{
	const struct poly_rates *r = p->rates;
	double meeting = p->kernel->together ? r->price_meeting :
		r->price_phase;

	return p->price->launches * r->price_launch + phases(p) * meeting;
}

isl_stat poly_price_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *size,
	const struct poly_access *access, int n_access,
	const struct poly_launched *launched, struct poly_price *price)
{
	struct priced p = { prog, kernel, size, poly_rates_of(&prog->target),
		price, .threads = fmax(launched->threads, 1),
		.registers = launched->registers,
		.exact = true };
	struct poly_kernel_work work;
	struct poly_stmt **stmt = poly_kernel_stmts(prog, kernel, &p.n_stmt);
	int n = p.n_stmt;

	p.stmt = stmt;
	*price = (struct poly_price){ 0 };
	if (!stmt || poly_kernel_work(prog, kernel, size, &work) < 0) {
		free(stmt);
		return isl_stat_error;
	}
	price->launches = fmax(launched->n, 1);
	price->blocks = fmax(launched->blocks, 1);
	price->product = product_cycles(&p);
	for (int i = 0; i < n && price->product <= 0; i++)
		add_statement(&p, stmt[i]);
	for (int i = 0; i < n_access && price->product <= 0; i++)
		if (access[i].kernel == kernel)
			add_access(&p, &access[i]);
	find_width(&p, stmt, n);
	free(stmt);
	price_memory(&p, &work);
	price_levels(&p);
	price->fixed = fixed(&p);
	price->cycles = price->fixed + overlapped(price);
	price->us = price->cycles / p.rates->megahertz;
	price->exact = p.exact && work.exact;
	return isl_stat_ok;
}

/* Reductions in parallel: which sums to divide into parts, and how many.
 *
 * A thread that goes over a whole reduction alone is right where there are
 * many cells. Where there are few, most of the machine idles; and a thread a
 * row reads memory badly. Such a reduction becomes sums of parts (partial.c),
 * in several steps if there are many parts:
 *
 *	s += a[i]		p[l] += a[4096 q + l]	4096 threads
 *				p2[m] += p[64 q + m]	64 threads
 *				s += p2[m]		one thread
 *
 * Where threads of one kernel can fill the device, a part is a lane instead, and
 * the lanes of a cell put their sums together at the end (partial.c). Along
 * memory the lanes of a cell go through it side by side, in runs of 16 bytes
 * where rows begin at multiples of that: those of a warp, or, where cells are
 * few, of a block. Across memory neighbouring cells are columns of a block,
 * whose rows are the lanes of each.
 *
 * The schedule of the undivided program says how many cells are under way at
 * one time and which loops the host runs: dividing those gains nothing. All of
 * it depends on the sizes and the program alone, so that results are the same
 * wherever they are computed. Only what may be done in any order is divided.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir_internal.h"

/* Threads that fill a device; where each reads a word here and a word there,
 * which is little, it takes twice as many; a warp.
 */
#define FULL 65536
#define FULL_COLUMNS (2 * FULL)
#define WARP 32
/* Cells under way beyond which a reduction stays whole: where one cell's
 * values lie side by side, and where those of neighbouring cells do.
 */
#define MANY_ROWS 131072
#define MANY_COLUMNS 32768
/* Values that are worth dividing, and values of each part, at least: of columns
 * more, as their parts are added in another kernel.
 */
#define LONG 64
#define VALUES 4
#define VALUES_COLUMNS 16
/* Parts that one thread adds up. */
#define FEW 64
/* Threads of a kernel with lanes that fill the device, each with many loads
 * under way, or twice as many where these are of single elements; those that do
 * for a sum of more than QUICK_ROW or LONG_ROW values, which are less than
 * another kernel costs; values that are worth lanes.
 */
#define FULL_LANES 131072
#define FULL_DOWN (2 * FULL_LANES)
#define MANY_LANES 16384
#define SHORT 32
#define QUICK_ROW 4096
#define LONG_ROW 65536
/* Threads of a block, and loads of each of them that are worth a wider group:
 * of runs, and of single elements.
 */
#define BLOCK 1024
#define RUNS 4
#define SINGLES 8
/* Columns of a block: at most and at least; blocks that keep all multiprocessors
 * busy, and the fewest that do; values of a thread that other blocks need not
 * share.
 */
#define COLUMNS 32
#define LEAST_COLUMNS 8
#define BLOCKS 120
#define LEAST_BLOCKS 64
#define QUICK_COLUMN 64
/* Bytes of parts. */
#define MOST_BYTES 268435456.0

/* A reduction and what the schedule makes of its dimensions. */
struct split {
	struct poly_parts p;
	int n;
	bool host[POLY_MAX_DIM], parallel[POLY_MAX_DIM];
	bool cell[POLY_MAX_DIM];	/* names the cell */
	double count[POLY_MAX_DIM], width;
	bool wave;
	bool alone;		/* can have lanes in its kernel */
	bool alike;		/* and so many that they are the block's */
	bool all_cells;		/* and others there have no more cells */
	int across;		/* threads of lanes that the kernel has */
};

/* ---------------------------------------------------------------- schedule */

/* The values of "member" on the domain of "s". */
static double member_count(struct split *s,
	__isl_keep isl_union_pw_aff *member)
{
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_union_pw_aff_copy(member));
	isl_union_set *range = isl_union_set_apply(isl_union_set_from_set(
		isl_set_copy(s->p.stmt->domain)), map);

	if (isl_union_set_is_empty(range) == isl_bool_true) {
		isl_union_set_free(range);
		return 0;
	}
	return poly_range_count(s->p.prog, isl_set_from_union_set(range), 0);
}

/* Note the members of the band "node", which the host runs or, if "parallel",
 * of which the coincident ones become blocks and threads.
 */
static void note_band(struct split *s, __isl_keep isl_schedule_node *node,
	bool parallel)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_size n = isl_multi_union_pw_aff_size(partial);

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);
		int dim = poly_counted_dim(member, s->p.stmt);

		if (dim >= 0 && !parallel)
			s->host[dim] = true;
		if (dim >= 0 && parallel &&
		    isl_schedule_node_band_member_get_coincident(node, i) ==
		    isl_bool_true) {
			s->parallel[dim] = true;
			s->width *= member_count(s, member);
		}
		isl_union_pw_aff_free(member);
	}
	isl_multi_union_pw_aff_free(partial);
}

/* The child of "node", which is taken, that the statement of "s" reaches. */
static __isl_give isl_schedule_node *next(__isl_take isl_schedule_node *node,
	const struct split *s)
{
	isl_size n = isl_schedule_node_n_children(node);

	for (int i = 0; i < n - 1; i++) {
		isl_union_set *filter;
		isl_set *part;
		bool here;

		node = isl_schedule_node_child(node, i);
		filter = isl_schedule_node_filter_get_filter(node);
		part = isl_union_set_extract_set(filter,
			isl_set_get_space(s->p.stmt->domain));
		here = isl_set_plain_is_empty(part) == isl_bool_false;
		isl_set_free(part);
		isl_union_set_free(filter);
		if (here)
			return node;
		node = isl_schedule_node_parent(node);
	}
	return isl_schedule_node_child(node, n - 1);
}

static bool is_candidate(const struct poly_prog *prog, struct poly_stmt *stmt);

/* Does only one statement reach the band "node", a sum that may be divided? */
static isl_bool is_own_loop(__isl_keep isl_schedule_node *node, void *user)
{
	struct split *s = user;
	isl_union_set *domain;
	int n;
	struct poly_stmt **list;
	bool own;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return isl_bool_true;
	domain = poly_node_domain(node);
	list = poly_stmts_of(s->p.prog, domain, &n);
	own = list && n == 1 && (is_candidate(s->p.prog, list[0]) ||
		list[0]->across || (list[0]->write_array &&
		list[0]->write_array->space == POLY_REGISTER));
	free(list);
	isl_union_set_free(domain);
	return isl_bool_ok(own);
}

/* Does a statement that reaches "node" write what S reads beside its cell? */
static bool feeds(const struct split *s, __isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	int n;
	struct poly_stmt **list = poly_stmts_of(s->p.prog, domain, &n);
	bool found = !list;

	for (int i = 0; i < n && !found; i++)
		found = list[i]->write_array && poly_expr_accesses(
			s->p.stmt->rhs, list[i]->write_array);
	free(list);
	isl_union_set_free(domain);
	return found;
}

/* Does "member" of a band count a dimension of S, from a constant on? */
static bool is_plain(const struct split *s,
	__isl_take isl_union_pw_aff *member)
{
	isl_set *domain = s->p.stmt->domain;
	int d = poly_counted_dim(member, s->p.stmt);
	isl_space *space = isl_space_add_dims(isl_space_from_domain(
		isl_set_get_space(domain)), isl_dim_out, 1);
	isl_pw_aff *pa = isl_union_pw_aff_extract_pw_aff(member, space);
	isl_pw_aff *first;
	bool plain;

	isl_union_pw_aff_free(member);
	if (d < 0) {
		isl_pw_aff_free(pa);
		return false;
	}
	pa = isl_pw_aff_sub(pa, isl_pw_aff_var_on_domain(
		isl_local_space_from_space(isl_set_get_space(domain)),
		isl_dim_set, d));
	pa = isl_pw_aff_gist(isl_pw_aff_coalesce(pa), isl_set_copy(domain));
	first = isl_set_dim_min(isl_set_copy(domain), d);
	plain = isl_pw_aff_is_cst(pa) == isl_bool_true &&
		isl_pw_aff_is_cst(first) == isl_bool_true;
	isl_pw_aff_free(pa);
	isl_pw_aff_free(first);
	return plain;
}

/* Note of the statements that reach "node" how many lanes they have already, and
 * whether all sums among them that can have some go over the same values.
 */
static void compare(struct split *s, __isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	isl_set *own = isl_set_reset_tuple_id(isl_set_copy(
		s->p.stmt->domain));
	int n;
	struct poly_stmt **list = poly_stmts_of(s->p.prog, domain, &n);

	s->alike = list != NULL;
	for (int i = 0; i < n; i++) {
		isl_set *other = isl_set_reset_tuple_id(isl_set_copy(
			list[i]->domain));

		if (list[i]->across)
			s->across = list[i]->across;
		else if (is_candidate(s->p.prog, list[i]) &&
			 list[i]->write_array->space != POLY_REGISTER)
			s->alike &= isl_set_is_equal(own, other) ==
				isl_bool_true;
		isl_set_free(other);
	}
	isl_set_free(own);
	isl_union_set_free(domain);
	free(list);
}

/* Does S have each cell that a statement at the band "node" has, if any? */
static bool has_all_cells(const struct split *s,
	__isl_keep isl_schedule_node *node)
{
	isl_union_map *at = isl_union_map_from_multi_union_pw_aff(
		isl_schedule_node_band_get_partial_schedule(node));
	isl_union_set *own = isl_union_set_apply(isl_union_set_from_set(
		isl_set_copy(s->p.stmt->domain)), isl_union_map_copy(at));
	isl_union_set *all = isl_union_set_apply(poly_node_domain(node), at);
	bool has;

	all = isl_union_set_intersect_params(all, isl_union_set_params(
		isl_union_set_copy(own)));
	has = isl_union_set_is_subset(all, own) == isl_bool_true;
	isl_union_set_free(all);
	isl_union_set_free(own);
	return has;
}

/* Look at the band "node" that becomes a kernel: can S have lanes? All of its
 * members are parallel and plain, there are at most two, all loops below are of
 * sums that may be divided, and S needs nothing that is computed there.
 */
static void read_kernel(struct split *s, __isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	int n = isl_schedule_node_band_n_member(node);

	compare(s, node);
	s->all_cells = has_all_cells(s, node);
	s->alone = n <= 2 && !feeds(s, node) &&
		isl_schedule_node_every_descendant(child, is_own_loop, s) ==
		isl_bool_true;
	for (int i = 0; i < n; i++)
		s->alone &= isl_schedule_node_band_member_get_coincident(node,
			i) == isl_bool_true && is_plain(s,
			isl_multi_union_pw_aff_get_at(partial, i));
	isl_multi_union_pw_aff_free(partial);
	isl_schedule_node_free(child);
}

/* What the mapping will do with the statement, as map_points does it. */
static void read_schedule(struct split *s)
{
	isl_schedule_node *node = isl_schedule_get_root(s->p.prog->schedule);

	s->width = 1;
	node = isl_schedule_node_child(node, 0);
	while (isl_schedule_node_has_children(node) == isl_bool_true &&
	    poly_has_parallel(node)) {
		bool band = isl_schedule_node_get_type(node) ==
			isl_schedule_node_band;
		enum poly_shape_of_band shape = band ? poly_band_shape(node) :
			POLY_BAND_SERIAL;

		s->wave |= shape == POLY_BAND_WAVE;
		if (band)
			note_band(s, node, shape == POLY_BAND_PARALLEL);
		if (shape == POLY_BAND_PARALLEL)
			read_kernel(s, node);
		if (shape != POLY_BAND_SERIAL)
			break;
		node = next(node, s);
	}
	isl_schedule_node_free(node);
}

/* --------------------------------------------------------------- decisions */

/* Could "stmt" be divided at all? In ring mode products have no other
 * neutral element than that of integers.
 */
static bool is_candidate(const struct poly_prog *prog, struct poly_stmt *stmt)
{
	if (!poly_is_free_update(prog, stmt) ||
	    poly_type_class(stmt->write_array->type) == POLY_CLASS_BOOL ||
	    isl_set_dim(stmt->domain, isl_dim_set) > POLY_MAX_DIM - 4)
		return false;
	if (stmt->reduce == POLY_OP_MUL &&
	    poly_type_is_float(stmt->write_array->type))
		return false;
	return prog->original ||
		!poly_expr_accesses(stmt->rhs, stmt->write_array);
}

/* Find out about the dimensions of the statement; false if it has no sums. */
static bool read_dims(struct split *s)
{
	const struct poly_stmt *stmt = s->p.stmt;
	bool around[POLY_MAX_DIM] = { false };
	bool sums = false;

	s->n = isl_set_dim(stmt->domain, isl_dim_set);
	for (int d = 0; d < s->n; d++) {
		s->cell[d] = isl_multi_pw_aff_involves_dims(stmt->write_index,
			isl_dim_in, d, 1) != isl_bool_false;
		s->count[d] = poly_range_count(s->p.prog,
			isl_set_copy(stmt->domain), d);
		s->p.sum[d] = !s->cell[d] && !s->host[d];
		sums |= s->p.sum[d];
	}
	if (!sums || s->wave)
		return false;
	if (s->p.prog->original && !poly_partial_loops(s->p.prog,
		s->p.stmt, s->p.sum, around))
		return false;
	for (int d = 0; d < s->n; d++) {
		s->p.sum[d] = !s->cell[d] && !around[d];
		s->p.own[d] = !s->p.sum[d] && (!s->p.prog->original ||
			!around[d] || s->parallel[d]);
	}
	return true;
}

/* The dimension to divide: of the long sums that with the best strides; -1 if
 * there is none. "but" is another.
 */
static int longest(const struct split *s, int but)
{
	int best = -1;

	for (int d = 0; d < s->n; d++) {
		if (!s->p.sum[d] || s->host[d] || s->count[d] < LONG ||
		    d == but)
			continue;
		if (best < 0 || poly_dim_stride(s->p.stmt, d) >
		    poly_dim_stride(s->p.stmt, best))
			best = d;
	}
	return best;
}

/* Does the sum over "d" go along memory, and no parallel loop as well? */
static bool goes_along_rows(const struct split *s, int d)
{
	int own = poly_dim_stride(s->p.stmt, d);

	for (int i = 0; i < s->n; i++)
		if (s->parallel[i] && s->count[i] > 1 &&
		    poly_dim_stride(s->p.stmt, i) >= own)
			return false;
	return true;
}

/* The largest power of two up to "x". */
static int power(double x)
{
	int n = 1;

	while (2.0 * n <= x && n < FULL)
		n *= 2;
	return n;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Would parts of "s" begin with what the cell holds (partial.c)? Then they need
 * it in all lanes.
 */
static bool needs_cell(const struct split *s)
{
	enum poly_op op = s->p.stmt->reduce;

	return s->p.prog->original && op != POLY_OP_ADD &&
		op != POLY_OP_MUL && op != POLY_OP_XOR;
}

/* Is there a sum for as many threads as "n", of which the kernel can have that
 * many, if it has lanes, too?
 */
static bool are_enough(const struct split *s, int d, int n)
{
	double all = s->width * n;

	return (all >= MANY_LANES || s->count[d] <= QUICK_ROW) &&
		(all >= FULL_LANES || s->count[d] <= LONG_ROW);
}

/* Lanes along memory for the sum over "d"; false: too few. */
static bool choose_along(struct split *s, int d)
{
	int runs, lanes, least;

	s->p.run = poly_run_of(s->p.prog, s->p.stmt, d);
	runs = power(s->count[d] / s->p.run);
	least = s->p.run > 1 ? RUNS : SINGLES;
	lanes = runs < WARP ? runs : WARP;
	while (lanes >= WARP && s->alike && lanes < BLOCK &&
	    2 * lanes * s->width <= FULL_LANES && 2 * lanes * least <= runs)
		lanes *= 2;
	if (s->across && lanes > WARP && lanes != s->across)
		return false;
	s->p.part[d] = lanes;
	return lanes > 1 && are_enough(s, d, lanes);
}

/* The parallel dimension that goes along memory best, if it does so better than
 * the sum over "d"; -1 if there is none.
 */
static int columns_of(const struct split *s, int d)
{
	int best = -1, score = poly_dim_stride(s->p.stmt, d);

	for (int i = 0; i < s->n; i++)
		if (s->parallel[i] && s->count[i] > 1 &&
		    poly_dim_stride(s->p.stmt, i) > score) {
			score = poly_dim_stride(s->p.stmt, i);
			best = i;
		}
	return best;
}

/* Lanes across memory for the sum over "d"; false: none. */
static bool choose_down(struct split *s, int d)
{
	int column = columns_of(s, d), columns = COLUMNS, lanes;
	double others, blocks;

	if (column < 0 || !s->alike || !s->all_cells)
		return false;
	others = s->width / s->count[column];
	while (columns > LEAST_COLUMNS &&
	    others * ceil(s->count[column] / columns) < BLOCKS)
		columns /= 2;
	blocks = others * ceil(s->count[column] / columns);
	lanes = power(least(s->count[d] / RUNS, least(BLOCK / columns,
		FULL_DOWN / s->width)));
	if (lanes < RUNS || (s->across && s->across != lanes) ||
	    (blocks < LEAST_BLOCKS && s->count[d] > QUICK_COLUMN * lanes))
		return false;
	s->p.run = 1;
	s->p.columns = columns;
	s->p.part[d] = lanes;
	return true;
}

/* Decide on lanes; false: none. */
static bool choose_lanes(struct split *s)
{
	int d = -1, axis[2];

	for (int i = 0; i < s->n; i++)
		if (s->p.sum[i] && !s->host[i] && (d < 0 ||
		    poly_dim_stride(s->p.stmt, i) >=
		    poly_dim_stride(s->p.stmt, d)))
			d = i;
	if (d < 0 || poly_stmt_axes(s->p.prog, s->p.stmt, s->parallel, axis) ||
	    !s->alone || needs_cell(s) || s->count[d] < SHORT)
		return false;
	s->p.lanes = true;
	if (goes_along_rows(s, d) ? choose_along(s, d) : choose_down(s, d))
		return true;
	memset(s->p.part, 0, sizeof(s->p.part));
	s->p.lanes = false;
	return false;
}

/* Decide on the numbers of parts; false: none. */
static bool choose_parts(struct split *s)
{
	int d = longest(s, -1), other;
	double wanted = s->width > 1 ? 1 / s->width : 1, values;
	double bytes = poly_type_size(s->p.stmt->write_array->type);

	s->p.run = 1;
	if (d < 0)
		return false;
	s->p.rows = goes_along_rows(s, d);
	if (s->width > (s->p.rows ? MANY_ROWS : MANY_COLUMNS))
		return false;
	wanted *= s->p.rows ? FULL : FULL_COLUMNS;
	values = s->p.rows ? VALUES : VALUES_COLUMNS;
	s->p.part[d] = power(least(wanted, s->count[d] / values));
	if (s->p.rows && s->p.part[d] < WARP)
		s->p.part[d] = WARP;
	other = longest(s, d);
	if (other >= 0 && wanted / s->p.part[d] >= VALUES)
		s->p.part[other] = power(least(wanted / s->p.part[d],
			s->count[other] / VALUES));
	for (int i = 0; i < s->n; i++)
		bytes *= s->p.part[i] ? s->p.part[i] : s->p.own[i] ?
			s->count[i] : 1;
	return s->p.part[d] >= VALUES && bytes <= MOST_BYTES;
}

/* ---------------------------------------------------------------- products */

/* "{ [p0, p1, pk, ..] -> S[..] }": tiles along "axis", and "k" the sum. */
static __isl_give isl_multi_aff *placed(const struct split *s,
	const int axis[2], int k)
{
	isl_space *range = isl_set_get_space(s->p.stmt->domain);
	isl_space *space = isl_space_set_from_params(isl_space_params(
		isl_space_copy(range)));
	isl_local_space *local;
	isl_aff_list *list = isl_aff_list_alloc(s->p.prog->ctx, s->n);
	int rest = 3;

	space = isl_space_add_dims(space, isl_dim_set, s->n);
	local = isl_local_space_from_space(isl_space_copy(space));
	for (int d = 0; d < s->n; d++) {
		int from = d == axis[0] ? 0 : d == axis[1] ? 1 : d == k ? 2 :
			rest++;

		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, from));
	}
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(
		isl_space_map_from_domain_and_range(space, range), list);
}

static double at_least_one(double x)
{
	return x < 1 ? 1 : x;
}

/* What a kernel does that tiles the reduction along "axis" and "k". */
static struct poly_work work_of(const struct split *s, const int axis[2],
	int k)
{
	struct poly_work w;
	isl_multi_aff *at = placed(s, axis, k);

	poly_work_begin(&w, s->p.prog);
	poly_work_add(&w, s->p.prog, s->p.stmt, at);
	isl_multi_aff_free(at);
	w.steps = at_least_one(s->count[k]);
	for (int d = 0; d < s->n; d++) {
		double n = at_least_one(s->count[d]);

		if (d == axis[0] || d == axis[1])
			w.points[d == axis[1]] = n;
		else if (s->parallel[d])
			w.batch *= n;
		else if (d != k)
			w.steps *= n;
	}
	return w;
}

/* Is the reduction one for tiles? Then, unless "divided" is NULL, decide whether
 * its longest sum is divided: the model (model.c) counts what blocks that idle
 * now would gain.
 */
static bool is_product(struct split *s, bool *divided)
{
	int axis[2], k = longest(s, -1), values;
	struct poly_work w;

	if (divided)
		*divided = false;
	if (!poly_stmt_axes(s->p.prog, s->p.stmt, s->parallel, axis))
		return false;
	if (k < 0)
		return true;
	w = work_of(s, axis, k);
	if (!poly_work_is_known(&w))
		return false;
	if (!divided)
		return true;
	w.steps = s->count[k];
	s->p.part[k] = poly_config_parts(s->p.prog,
		s->p.stmt->write_array->name);
	if (s->p.part[k])
		s->p.part[k] = poly_given_parts(&w, s->p.part[k], &values);
	else
		s->p.part[k] = poly_best_parts(&w, &values);
	poly_explain_parts(s->p.prog, s->p.stmt->name, &w, s->p.part[k],
		values);
	poly_search_note_parts(s->p.prog, s->p.stmt->write_array->name, &w,
		s->p.part[k]);
	*divided = s->p.part[k] > 1;
	s->p.values[k] = values;
	s->p.at_once = true;
	return true;
}

/* ---------------------------------------------------------------- division */

/* The parts of "sum", whose last dimensions they are, as a reduction of its
 * own: "s" becomes that.
 */
static bool next_step(struct split *s, struct poly_stmt *sum)
{
	struct split old = *s;
	int d = 0, parts = 1, wanted = 1, best = -1;

	memset(s, 0, sizeof(*s));
	s->p.prog = old.p.prog;
	s->p.run = 1;
	s->p.stmt = sum;
	s->p.rows = old.p.rows;
	for (int i = 0; i < old.n; i++) {
		if (!old.p.sum[i]) {
			s->p.own[d++] = old.p.own[i];
		} else if (old.p.part[i]) {
			s->p.sum[d] = true;
			s->count[d] = old.p.part[i];
			parts *= old.p.part[i];
			if (best < 0 || s->count[d] > s->count[best])
				best = d;
			d++;
		}
	}
	s->n = d;
	while (wanted * wanted < parts)
		wanted *= 2;
	if (parts <= FEW || wanted >= s->count[best])
		return false;
	s->p.part[best] = wanted;
	return true;
}

/* Decide on lanes, or else on parts; false: neither. "*more" if the sums of the
 * parts may be divided, too.
 */
static bool choose(struct split *s, bool lanes, bool *more)
{
	bool divided, product = is_product(s, lanes ? NULL : &divided);
	bool can = !product && choose_lanes(s);

	*more = !product && !lanes;
	if (lanes || can)
		return lanes && can;
	if (product)
		return divided;
	return choose_parts(s);
}

/* Divide "stmt" if that gains something, into lanes or into parts; "*n" counts.
 */
static isl_stat divide(struct poly_prog *prog, struct poly_stmt *stmt,
	bool lanes, int *n)
{
	struct split s = { .p = { .prog = prog, .stmt = stmt } };
	struct poly_stmt *sum;
	bool more;

	read_schedule(&s);
	if (!read_dims(&s) || !choose(&s, lanes, &more))
		return isl_stat_ok;
	if (s.p.at_once)
		prog->have |= POLY_HAVE_PARTS;
	do {
		sum = poly_add_partial(&s.p);
		if (!sum)
			return isl_stat_error;
		++*n;
	} while (more && next_step(&s, sum));
	return isl_stat_ok;
}

/* Divide the "n" statements "list"; "*done" counts. */
static isl_stat divide_all(struct poly_prog *prog, struct poly_stmt **list,
	int n, bool lanes, int *done)
{
	isl_stat ok = isl_stat_ok;

	*done = 0;
	for (int i = 0; i < n && ok == isl_stat_ok; i++)
		ok = divide(prog, list[i], lanes, done);
	return ok;
}

/* The dependences of the program with lanes, whose schedule is there already:
 * pairs of reads, which only a schedule asks for, are many and left out.
 */
static isl_stat deps_again(struct poly_prog *prog)
{
	if (poly_deps(prog) < 0)
		return isl_stat_error;
	isl_union_map_free(prog->deps.rar);
	prog->deps.rar = isl_union_map_empty(isl_set_get_space(prog->context));
	return prog->deps.rar ? isl_stat_ok : isl_stat_error;
}

/* Divide what reductions leave most of the machine idle: first into parts,
 * which have a schedule of their own, then, in that, into lanes.
 *
 * requires schedule; establishes parts, and another schedule
 */
isl_stat poly_split(struct poly_prog *prog)
{
	struct poly_stmt **list = calloc(prog->n_stmt + 1, sizeof(*list));
	int most = 0, n = 0;
	isl_stat ok = list ? isl_stat_ok : isl_stat_error;

	for (int i = 0; list && i < prog->n_stmt; i++)
		if (is_candidate(prog, prog->stmt[i]))
			list[most++] = prog->stmt[i];
	if (ok == isl_stat_ok)
		ok = divide_all(prog, list, most, false, &n);
	if (ok == isl_stat_ok && n && (poly_deps(prog) < 0 ||
	    poly_schedule(prog) < 0)) {
		free(list);
		return isl_stat_error;
	}
	if (ok == isl_stat_ok)
		ok = divide_all(prog, list, most, true, &n);
	free(list);
	if (ok < 0)
		return poly_isl_error(prog, "split");
	return n ? deps_again(prog) : isl_stat_ok;
}

/* Structure of a program: what every pass may rely on.
 *
 * Legality (does the tree respect the dependences?) is legal.c's; here is only
 * what must hold for any program, right or wrong, to have a meaning: names
 * resolve, functions have the spaces of what they connect and are defined on
 * whole domains, tile operations have what their kind needs, and
 * (verify_tree.c) the tree is one that isl should have refused to build
 * otherwise. isl itself accepts bands that miss statements and sequences that
 * do not partition.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/prepare/prepare.h"

/* Report "fmt" with "ap", naming the pass. */
static bool fail(struct poly_verifier *v, const char *fmt, va_list ap)
{
	struct poly_str text = { 0 };
	char what[300];

	vsnprintf(what, sizeof(what), fmt, ap);
	poly_str_printf(&text, "%s (after %s)", what, v->pass);
	poly_report_add(v->prog->report, v->id, NULL, text.s ? text.s : what);
	poly_str_free(&text);
	return false;
}

bool poly_verify_fail(struct poly_verifier *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(v, fmt, ap);
	va_end(ap);
	return false;
}

bool poly_verify_that(struct poly_verifier *v, isl_bool answer,
	const char *fmt, ...)
{
	const char *why;
	va_list ap;

	if (answer == isl_bool_true)
		return true;
	if (answer == isl_bool_false) {
		va_start(ap, fmt);
		fail(v, fmt, ap);
		va_end(ap);
		return false;
	}
	why = isl_ctx_last_error_msg(v->prog->ctx);
	poly_report_add(v->prog->report, MSG_POLY_ISL, NULL, v->pass,
		why ? why : "no reason given");
	return false;
}

/* True if tuple "type" of "space" is "NAME[n dimensions]"; an unnamed one if
 * "name" is NULL.
 */
static bool is_tuple(__isl_keep isl_space *space, enum isl_dim_type type,
	const char *name, isl_size n)
{
	const char *has = NULL;

	if (isl_space_has_tuple_name(space, type) == isl_bool_true)
		has = isl_space_get_tuple_name(space, type);
	if (!name != !has || (name && strcmp(name, has)))
		return false;
	return isl_space_dim(space, type) == n;
}

/* True if the program knows all parameters of "space". */
static bool knows_params(struct poly_verifier *v, __isl_keep isl_space *space)
{
	isl_size i, n = isl_space_dim(space, isl_dim_param);
	const char *name;

	for (i = 0; i < n; i++) {
		name = isl_space_get_dim_name(space, isl_dim_param,
			(unsigned)i);
		if (!name || isl_space_find_dim_by_name(v->params,
			isl_dim_param, name) < 0)
			return false;
	}
	return n >= 0;
}

/* True if all parameters of "space" are sizes of the program. */
static bool has_sizes_only(struct poly_verifier *v,
	__isl_keep isl_space *space)
{
	isl_size i, n = isl_space_dim(space, isl_dim_param);
	const char *name;

	for (i = 0; i < n; i++) {
		name = isl_space_get_dim_name(space, isl_dim_param,
			(unsigned)i);
		if (!name || !poly_prog_find_param(v->prog, name))
			return false;
	}
	return n >= 0;
}

/* True if tuple "type" of "space" is that of the domain of "stmt". */
static bool is_stmt(__isl_keep isl_space *space, enum isl_dim_type type,
	const struct poly_stmt *stmt)
{
	return is_tuple(space, type, stmt->name,
		isl_set_dim(stmt->domain, isl_dim_set));
}

bool poly_verify_names(struct poly_verifier *v, __isl_keep isl_space *space,
	enum isl_dim_type type)
{
	const char *name = isl_space_has_tuple_name(space, type) ==
		isl_bool_true ? isl_space_get_tuple_name(space, type) : "";
	struct poly_stmt *stmt = poly_prog_find_stmt(v->prog, name);

	return stmt && is_stmt(space, type, stmt) && knows_params(v, space);
}

bool poly_verify_index(struct poly_verifier *v, const struct poly_stmt *stmt,
	const struct poly_array *array, __isl_keep isl_multi_pw_aff *index)
{
	isl_space *space;
	isl_set *defined, *domain;
	isl_bool total;
	bool ok;

	if (!array || !index ||
	    poly_prog_find_array(v->prog, array->name) != array)
		return poly_verify_fail(v, "%s accesses no array", stmt->name);
	space = isl_multi_pw_aff_get_space(index);
	ok = is_stmt(space, isl_dim_in, stmt) && knows_params(v, space) &&
		is_tuple(space, isl_dim_out, array->name, array->n_dim);
	isl_space_free(space);
	if (!ok)
		return poly_verify_fail(v,
			"the index of %s in %s has other dimensions",
			array->name, stmt->name);
	defined = isl_multi_pw_aff_domain(isl_multi_pw_aff_copy(index));
	total = isl_set_is_subset(stmt->domain, defined);
	if (total == isl_bool_false) {
		domain = isl_set_intersect_params(isl_set_copy(stmt->domain),
			isl_set_copy(v->prog->context));
		total = isl_set_is_subset(domain, defined);
		isl_set_free(domain);
	}
	isl_set_free(defined);
	return poly_verify_that(v, total,
		"the index of %s is not defined on all of %s", array->name,
		stmt->name);
}

/* Can the rows of "array" be cut into columns of 128 bytes? */
static bool is_swizzled(const struct poly_array *array)
{
	enum { ROW = 128 };
	isl_pw_aff *n = array->n_dim < 2 ? NULL : isl_multi_pw_aff_get_at(
		array->extent, array->n_dim - 1);
	isl_val *v = n ? isl_pw_aff_max_val(n) : NULL;
	bool is = array->space == POLY_SHARED && !array->row_pad && v &&
		isl_val_is_int(v) == isl_bool_true &&
		isl_val_get_num_si(v) * poly_type_size(array->type) % ROW == 0;

	isl_val_free(v);
	return is;
}

/* Check what is said of the elements of "array": of integers that the caller gives, by two
 * functions of the sizes.
 */
static bool check_within(struct poly_verifier *v, const struct poly_array *array)
{
	isl_space *space = isl_multi_pw_aff_get_space(array->within);
	bool sizes = isl_space_is_set(space) == isl_bool_true &&
		isl_space_dim(space, isl_dim_set) == 2 && knows_params(v, space);

	isl_space_free(space);
	return poly_verify_that(v, isl_bool_ok(sizes && array->space == POLY_GLOBAL &&
		(array->role == POLY_INPUT || array->role == POLY_INOUT) &&
		!poly_type_is_float(array->type)),
		"%s cannot be within numbers", array->name);
}

/* Check the extent of "array": a function of sizes alone, one entry a
 * dimension, and constant if the array is in shared memory. Swizzled arrays
 * must have rows of whole columns.
 */
static bool check_array(struct poly_verifier *v, struct poly_array *array)
{
	isl_space *space = isl_multi_pw_aff_get_space(array->extent);
	isl_size d, n_in;
	bool ok;

	n_in = isl_space_is_set(space) == isl_bool_true ? 0 :
		isl_space_dim(space, isl_dim_in);
	ok = n_in == 0 && knows_params(v, space) &&
		is_tuple(space, isl_dim_out, array->name, array->n_dim);
	isl_space_free(space);
	if (!ok)
		return poly_verify_fail(v, "the extent of %s is not one of it",
			array->name);
	if (!poly_verify_that(v, isl_bool_ok(!array->swizzled ||
	    is_swizzled(array)), "%s cannot be swizzled", array->name))
		return false;
	if (!poly_verify_that(v, isl_bool_ok(!array->stride ||
	    (array->role != POLY_TEMP && array->n_dim > 1 && !array->gathered)),
	    "%s cannot have strides", array->name))
		return false;
	if (array->within && !check_within(v, array))
		return false;
	for (d = 0; array->space == POLY_SHARED && d < array->n_dim; d++) {
		isl_pw_aff *size = isl_multi_pw_aff_get_at(array->extent,
			(int)d);
		isl_bool constant = isl_pw_aff_is_cst(size);

		isl_pw_aff_free(size);
		if (!poly_verify_that(v, constant,
			"%s is shared, but its extent is not constant",
			array->name))
			return false;
	}
	return true;
}

/* Check that stmt->at, if there is one, maps tile space of two dimensions or
 * more to the domain of "stmt".
 */
bool poly_verify_at(struct poly_verifier *v, const struct poly_stmt *stmt)
{
	isl_space *space;
	isl_size n;
	bool ok;

	if (!stmt->at)
		return true;
	space = isl_multi_aff_get_space(stmt->at);
	n = isl_space_dim(space, isl_dim_in);
	ok = n >= 2 && is_tuple(space, isl_dim_in, NULL, n) &&
		is_stmt(space, isl_dim_out, stmt) && knows_params(v, space);
	isl_space_free(space);
	return ok || poly_verify_fail(v,
		"the place of %s is not one of tile space", stmt->name);
}

/* Check that the domain of "stmt" has its name and no parameters but sizes, and
 * that it has what its kind needs.
 */
static bool check_stmt(struct poly_verifier *v, struct poly_stmt *stmt)
{
	isl_space *space = isl_set_get_space(stmt->domain);
	bool ok = is_stmt(space, isl_dim_set, stmt) &&
		has_sizes_only(v, space);

	isl_space_free(space);
	if (!ok)
		return poly_verify_fail(v, "the domain of %s is not one of it",
			stmt->name);
	return poly_verify_op(v, stmt);
}

/* True if all parameters of "space" are sizes or coordinates of a launch. */
static bool has_launch_only(struct poly_verifier *v,
	__isl_keep isl_space *space)
{
	isl_size i, n = isl_space_dim(space, isl_dim_param);

	for (i = 0; i < n; i++) {
		const char *name = isl_space_get_dim_name(space,
			isl_dim_param, (unsigned)i);

		if (!poly_prog_find_param(v->prog, name) &&
		    !poly_is_launch(v->prog, name))
			return false;
	}
	return true;
}

/* Check that "grid", a number of blocks of "kernel", is there and depends on
 * sizes and launch coordinates alone.
 */
static bool check_grid(struct poly_verifier *v,
	const struct poly_kernel *kernel, __isl_keep isl_pw_aff *grid)
{
	isl_space *space;
	isl_size n;
	bool ok;

	if (!grid)
		return poly_verify_fail(v, "kernel %s has no grid",
			kernel->name);
	space = isl_pw_aff_get_space(grid);
	n = isl_space_is_params(space) == isl_bool_true ? 0 :
		isl_pw_aff_dim(grid, isl_dim_in);
	ok = has_launch_only(v, space) && n == 0;
	isl_space_free(space);
	return ok || poly_verify_fail(v,
		"the grid of kernel %s depends on more than sizes",
		kernel->name);
}

/* Is "n" 1 whatever the sizes? */
static bool is_one(__isl_keep isl_pw_aff *n)
{
	isl_pw_aff *less = isl_pw_aff_add_constant_val(isl_pw_aff_copy(n),
		isl_val_negone(isl_pw_aff_get_ctx(n)));
	isl_set *other = isl_pw_aff_non_zero_set(less);
	bool one = isl_set_is_empty(other) == isl_bool_true;

	isl_set_free(other);
	return one;
}

/* Is "grid" a multiple of "n" for the sizes that there may be? */
static bool is_multiple(const struct poly_verifier *v,
	__isl_keep isl_pw_aff *grid, int n)
{
	isl_pw_aff *rest = isl_pw_aff_mod_val(isl_pw_aff_copy(grid),
		isl_val_int_from_si(isl_pw_aff_get_ctx(grid), n));
	isl_set *other = isl_set_intersect_params(isl_pw_aff_non_zero_set(rest),
		poly_known_sizes(v->prog));
	bool multiple = isl_set_is_empty(other) == isl_bool_true;

	isl_set_free(other);
	return multiple;
}

/* Clusters go along one axis of a tiled kernel, whose grid has whole ones. */
static bool check_clusters(struct poly_verifier *v,
	const struct poly_kernel *kernel)
{
	for (int d = 0; d < 2; d++) {
		int n = poly_cluster(kernel, d);

		if (n > 1 && (!kernel->tiled || poly_cluster(kernel, !d) > 1 ||
		    !is_multiple(v, kernel->grid[d], n)))
			return poly_verify_fail(v, "kernel %s is not in whole "
				"clusters along one axis", kernel->name);
	}
	return true;
}

/* Do blocks b0 of "kernel" update the rows of slice b0, modulo the number of slices, and no
 * others? For the sizes that are known: their extents tell how many slices there are.
 */
static bool updates_slices(const struct poly_verifier *v,
	const struct poly_kernel *kernel, const struct poly_stmt *s)
{
	isl_pw_aff *at = isl_multi_pw_aff_get_at(s->write_index, 0);
	isl_ctx *ctx = isl_pw_aff_get_ctx(at);
	isl_val *n = isl_val_int_from_si(ctx, poly_slice_count(v->prog, s,
		kernel->slice));
	isl_space *space = isl_space_set_alloc(ctx, 0, 2);
	isl_multi_aff *turn = isl_multi_aff_identity_on_domain_space(space);
	isl_union_map *block = poly_kernel_blocks(v->prog, kernel), *other;
	isl_map *slice;
	bool does;

	turn = isl_multi_aff_set_at(turn, 0, isl_aff_mod_val(
		isl_multi_aff_get_at(turn, 0), n));
	block = isl_union_map_apply_range(block, isl_union_map_from_map(
		isl_map_from_multi_aff(turn)));
	at = isl_pw_aff_floor(isl_pw_aff_scale_down_val(at,
		isl_val_int_from_si(ctx, kernel->slice)));
	slice = isl_map_add_dims(isl_map_from_pw_aff(at), isl_dim_out, 1);
	block = isl_union_map_intersect_params(block, poly_known_sizes(v->prog));
	other = isl_union_map_subtract(block, isl_union_map_from_map(slice));
	does = isl_union_map_is_empty(other) == isl_bool_true;
	isl_union_map_free(other);
	return does;
}

/* May blocks of "kernel" have a copy of what they update? */
static bool check_near(struct poly_verifier *v, const struct poly_kernel *kernel)
{
	const struct poly_array *a = NULL;
	int n;
	struct poly_stmt **list = poly_kernel_stmts(v->prog, kernel, &n);

	if (list && !kernel->tiled && !kernel->block)
		a = poly_near_array(v->prog, list, n, kernel->slice);
	if (a && kernel->slice && (kernel->thread[0] != 1 ||
	    !updates_slices(v, kernel, list[0])))
		a = NULL;
	free(list);
	return a != NULL;
}

/* Has each block of "kernel" a tile of a scatter whose places are ranks, its warps one
 * part behind the other, their lanes side by side?
 */
static bool check_ranked(struct poly_verifier *v, const struct poly_kernel *kernel)
{
	struct poly_ranks r;
	int n;
	struct poly_stmt **list = poly_kernel_stmts(v->prog, kernel, &n);
	bool is = list && !kernel->tiled && !kernel->block &&
		poly_ranks_read(v->prog, list, n, &r) &&
		kernel->thread[0] == 1 &&
		kernel->thread[1] * POLY_RANK_ITEMS == r.tile;

	free(list);
	return is;
}

/* Check the numbers of "kernel": threads share tiles evenly, a block has at
 * most 1024 of them, fragments of a unit fit, the grid is a function of sizes,
 * and block kernels have the one block, or the constant number of blocks, that
 * they need.
 */
static bool check_kernel(struct poly_verifier *v,
	const struct poly_kernel *kernel)
{
	int d;

	for (d = 0; d < 2; d++) {
		int thread = kernel->thread[d], tile = kernel->tile[d];

		int run = thread * kernel->vec[d];

		if (thread < 1 || tile < 1 || run < 1 || tile % run ||
		    (!kernel->tiled && (tile != thread || run != thread)))
			return poly_verify_fail(v,
				"kernel %s: %d threads cannot share a tile of %d",
				kernel->name, thread, tile);
	}
	if (kernel->vec_k < 1 || kernel->tile_k % kernel->vec_k)
		return poly_verify_fail(v,
			"kernel %s: a tile of %d steps is not made of %ds",
			kernel->name, kernel->tile_k, kernel->vec_k);
	if (kernel->thread[0] * kernel->thread[1] > POLY_MOST_THREADS)
		return poly_verify_fail(v,
			"kernel %s has more than 1024 threads", kernel->name);
	if (kernel->unit && !poly_unit_fits(kernel))
		return poly_verify_fail(v, "the threads of kernel %s hold no "
			"fragments of %s", kernel->name,
			poly_unit_name(kernel->unit));
	for (d = 0; d < 2; d++)
		if (!check_grid(v, kernel, kernel->grid[d]))
			return false;
	if (!check_clusters(v, kernel))
		return false;
	for (d = 0; d < kernel->n_batch; d++)
		if (kernel->block || !check_grid(v, kernel, kernel->batch[d]))
			return poly_verify_fail(v,
				"kernel %s cannot have a batch", kernel->name);
	if (kernel->block && !(kernel->thread[0] == 1 && (kernel->apart ||
	    (is_one(kernel->grid[0]) && (kernel->together ||
	    is_one(kernel->grid[1]))))))
		return poly_verify_fail(v,
			"kernel %s is more than a block", kernel->name);
	if (kernel->ranked && !check_ranked(v, kernel))
		return poly_verify_fail(v, "the threads of kernel %s do not "
			"have the tiles that it ranks", kernel->name);
	if (kernel->near && !check_near(v, kernel))
		return poly_verify_fail(v, "kernel %s does more than update a "
			"few cells that data tell", kernel->name);
	if (kernel->together && (poly_kernel_n_block(kernel) < 1 ||
	    isl_pw_aff_is_cst(kernel->grid[1]) != isl_bool_true))
		return poly_verify_fail(v,
			"kernel %s has no number of blocks", kernel->name);
	return true;
}

/* Callback of check_deps: does "map" go from one statement of the program to
 * another? "user" is the verifier.
 */
static isl_bool is_dependence(__isl_keep isl_map *map, void *user)
{
	isl_space *space = isl_map_get_space(map);
	bool ok = poly_verify_names(user, space, isl_dim_in) &&
		poly_verify_names(user, space, isl_dim_out);

	isl_space_free(space);
	return isl_bool_ok(ok);
}

/* Dependences are among statements; once computed, all are there. */
static bool check_deps(struct poly_verifier *v)
{
	const struct poly_deps *deps = &v->prog->deps;
	isl_union_map *all[] = {
		deps->flow, deps->anti, deps->output, deps->reduction,
		deps->rar,
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i] && (v->prog->have & POLY_HAVE_DEPS))
			return poly_verify_fail(v, "dependences are missing");
		if (all[i] && !poly_verify_that(v, isl_union_map_every_map(
			all[i], is_dependence, v),
			"a dependence is not between statements"))
			return false;
	}
	return true;
}

/* Callback of check_original: is "node" none whose children have no order? */
static isl_bool is_ordered(__isl_keep isl_schedule_node *node, void *user)
{
	(void)user;
	return isl_bool_ok(isl_schedule_node_get_type(node) !=
		isl_schedule_node_set);
}

/* The order of the text, if there is one, orders all: dependences are found by
 * it (deps/before.c).
 */
static bool check_original(struct poly_verifier *v)
{
	isl_schedule_node *root;
	isl_bool ok;

	if (!v->prog->original)
		return true;
	root = isl_schedule_get_root(v->prog->original);
	ok = isl_schedule_node_every_descendant(root, is_ordered, NULL);
	isl_schedule_node_free(root);
	return poly_verify_that(v, ok, "the order of the text has a set");
}

/* Check everything but the tree, up to the first fault: context, arrays,
 * statements, kernels, dependences, the order of the text.
 */
static bool check_program(struct poly_verifier *v)
{
	struct poly_prog *prog = v->prog;
	isl_space *space;
	bool ok;
	int i;

	space = isl_set_get_space(prog->context);
	ok = isl_space_is_params(space) == isl_bool_true &&
		knows_params(v, space);
	isl_space_free(space);
	if (!ok)
		return poly_verify_fail(v, "the context is not one of sizes");
	for (i = 0; i < prog->n_array; i++)
		if (!check_array(v, prog->array[i]))
			return false;
	for (i = 0; i < prog->n_stmt; i++)
		if (!check_stmt(v, prog->stmt[i]))
			return false;
	for (i = 0; i < prog->n_kernel; i++)
		if (!check_kernel(v, prog->kernel[i]))
			return false;
	return check_deps(v) && check_original(v);
}

/* "pass" is what ran last. The first fault is reported; a program without a
 * schedule has no tree to check.
 */
isl_stat poly_verify(struct poly_prog *prog, const char *pass)
{
	struct poly_verifier v = {
		.prog = prog, .pass = pass, .id = MSG_POLY_PROGRAM,
	};
	bool ok;

	v.params = poly_text_params(prog);
	ok = check_program(&v);
	v.id = MSG_POLY_TREE;
	if (ok && prog->schedule)
		ok = poly_verify_tree(&v);
	else if (ok && (prog->have & POLY_HAVE_SCHEDULE))
		ok = poly_verify_fail(&v, "there is none");
	isl_space_free(v.params);
	return ok ? isl_stat_ok : isl_stat_error;
}

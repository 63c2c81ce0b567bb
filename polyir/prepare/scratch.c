/* Outputs that are used as scratch.
 *
 * A function has to leave in its arrays what they held last; until then an
 * array that is small and written anew in each iteration is a temporary like
 * any other (privatise.c):
 *
 *	for (i) {			for (i) {
 *	  for (j) s[j] = ..;		  for (j) t[j] = ..;
 *	  for (j) a[i][j] = s[j];	  for (j) a[i][j] = t[j];
 *	}				}
 *					for (j) s[j] = t[j];
 *
 * Once the temporary has dimensions for loops, the copy reads it where the last
 * write was: at the last iteration of the loops around that.
 */
#include <stdlib.h>

#include <isl/flow.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/prepare/prepare.h"

/* Pieces that the place of the last write may have.
 *
 * Each piece is a case in the copy's index.
 */
enum { MOST_PIECES = 4 };
/* What isl may do to find the last writes.
 *
 * A search that needs more is given up, which only leaves the output as it is.
 */
#define MOST_OPERATIONS 1000000ul

/* All points of the array's tuple, without its extent. */
static __isl_give isl_union_set *cells(const struct poly_array *array)
{
	return isl_union_set_from_set(isl_set_universe(
		isl_multi_pw_aff_get_space(array->extent)));
}

/* The last writes before the accesses "sink" to "array" in the order of
 * "schedule", which is taken; NULL if isl does not find them within its operations,
 * or takes its search for invalid, in the middle of it (isl 0.25).
 */
static __isl_give isl_union_flow *last_writes(struct poly_prog *prog,
	const struct poly_array *array, __isl_take isl_union_map *sink,
	__isl_take isl_schedule *schedule)
{
	isl_union_map *writes = isl_union_map_intersect_range(
		poly_writes(prog), cells(array));
	unsigned long all = poly_ctx_attempt(prog->ctx, MOST_OPERATIONS);
	isl_union_access_info *info;
	isl_union_flow *flow;

	info = isl_union_access_info_from_sink(isl_union_map_intersect_params(
		sink, isl_set_copy(prog->context)));
	info = isl_union_access_info_set_must_source(info,
		isl_union_map_intersect_params(writes,
			isl_set_copy(prog->context)));
	info = isl_union_access_info_set_schedule(info, schedule);
	flow = isl_union_access_info_compute_flow(info);
	if (!poly_ctx_attempted(prog->ctx, all))
		return isl_union_flow_free(flow);
	if (!flow)
		poly_ctx_forgives(prog->ctx);
	return flow;
}

/* Does the program write, at some time, each cell of "array" that is read?
 *
 * Cheaper than to ask for the last writes, and mostly enough to say no.
 */
static bool is_written(struct poly_prog *prog, const struct poly_array *array,
	__isl_keep isl_union_map *reads)
{
	isl_union_set *at = isl_union_map_range(isl_union_map_intersect_params(
		isl_union_map_copy(reads), isl_set_copy(prog->context)));
	isl_union_set *to = isl_union_map_range(isl_union_map_intersect_range(
		poly_writes(prog), cells(array)));
	bool is = isl_union_set_is_subset(at, to) == isl_bool_true;

	isl_union_set_free(at);
	isl_union_set_free(to);
	return is;
}

/* Does every read of "array", which the program has been given or gives back,
 * see what the program has written?
 *
 * Reads that meet no write are reads of what the caller gave. With one such
 * read, the array is no scratch.
 */
bool poly_is_scratch(struct poly_prog *prog, const struct poly_array *array)
{
	isl_union_map *reads = isl_union_map_intersect_range(poly_reads(prog),
		cells(array));
	isl_union_flow *flow = is_written(prog, array, reads) ?
		last_writes(prog, array, isl_union_map_copy(reads),
			isl_schedule_copy(prog->original)) : NULL;
	isl_union_map *open = isl_union_flow_get_may_no_source(flow);
	bool is = isl_union_map_is_empty(open) == isl_bool_true;

	isl_union_map_free(open);
	isl_union_flow_free(flow);
	isl_union_map_free(reads);
	return is;
}

/* The elements of "array" that the program writes, as instances of "name".
 *
 * The name's tuple gets the array's coordinates: one instance of the copy for
 * each cell.
 */
static __isl_give isl_set *written(struct poly_prog *prog,
	const struct poly_array *array, const char *name)
{
	isl_union_map *writes = poly_writes(prog);
	isl_union_set *all = isl_union_map_range(writes);
	isl_set *set = isl_union_set_extract_set(all,
		isl_multi_pw_aff_get_space(array->extent));

	isl_union_set_free(all);
	set = isl_set_gist_params(poly_set_coalesce(set),
		isl_set_copy(prog->context));
	return isl_set_set_tuple_name(set, name);
}

/* "{ NAME[c] -> array[c] }" for the instances "domain".
 *
 * Good for both sides of a copy: the identity, under another name.
 */
static __isl_give isl_multi_pw_aff *same_cell(__isl_keep isl_set *domain,
	const struct poly_array *array)
{
	return isl_multi_pw_aff_set_tuple_name(
		isl_multi_pw_aff_from_multi_aff(
			isl_multi_aff_identity_on_domain_space(
				isl_set_get_space(domain))),
		isl_dim_out, array->name);
}

/* The last writes before the copies "domain" of "array" at the end of "order",
 * which is taken: { COPY[c] -> WRITE[i] }.
 */
static __isl_give isl_union_map *before_copies(struct poly_prog *prog,
	const struct poly_array *array, __isl_keep isl_set *domain,
	__isl_take isl_schedule *order)
{
	isl_map *sink = isl_map_intersect_domain(isl_map_from_multi_pw_aff(
		same_cell(domain, array)), isl_set_copy(domain));
	isl_union_flow *flow = last_writes(prog, array,
		isl_union_map_from_map(sink), order);
	isl_union_map *last = isl_union_flow_get_must_dependence(flow);

	isl_union_flow_free(flow);
	return isl_union_map_reverse(last);
}

/* What "loop" is at the last write, "last", of each cell that a statement
 * copies: "{ COPY[c] -> WRITE[i] }"; NULL if that is no simple function.
 *
 * A cell that different iterations write last, by a rule of several cases, has
 * a piece for each case; one that no rule of a few pieces tells is left alone.
 */
static __isl_give isl_pw_aff *at_last(__isl_keep isl_union_map *last,
	__isl_keep isl_union_pw_aff *loop)
{
	isl_union_map *map = isl_union_map_apply_range(
		isl_union_map_copy(last), isl_union_map_from_union_pw_aff(
			isl_union_pw_aff_copy(loop)));
	isl_map *one = poly_map_coalesce(isl_map_from_union_map(map));
	isl_pw_aff *at = NULL;
	isl_multi_pw_aff *mpa;
	isl_size n;

	if (isl_map_is_single_valued(one) != isl_bool_true) {
		isl_map_free(one);
		return NULL;
	}
	mpa = isl_multi_pw_aff_from_pw_multi_aff(
		isl_pw_multi_aff_from_map(one));
	at = poly_pw_aff_coalesce(isl_multi_pw_aff_get_at(mpa, 0));
	isl_multi_pw_aff_free(mpa);
	n = isl_pw_aff_n_piece(at);
	return n >= 1 && n <= MOST_PIECES ? at : isl_pw_aff_free(at);
}

/* "loop", which is taken, with its value "at" for the copy.
 *
 * "loop" then says for the copy, too, in which iteration's part of the
 * temporary it reads.
 */
static __isl_give isl_union_pw_aff *extended(
	__isl_take isl_union_pw_aff *loop, __isl_take isl_pw_aff *at)
{
	return isl_union_pw_aff_union_add(loop,
		isl_union_pw_aff_from_pw_aff(at));
}

/* Takes "domain", in any case. The statement is the last of the program; where
 * it stands in the tree is the caller's affair.
 */
isl_stat poly_add_copy(struct poly_prog *prog, const char *name,
	__isl_take isl_set *domain, struct poly_array *array,
	struct poly_array *source)
{
	isl_multi_pw_aff *to = same_cell(domain, array);
	isl_multi_pw_aff *from = same_cell(domain, source);
	struct poly_stmt *copy = poly_prog_add_stmt(prog, name, POLY_POINT,
		domain);

	if (!copy) {
		isl_multi_pw_aff_free(to);
		isl_multi_pw_aff_free(from);
		return isl_stat_error;
	}
	copy->loc = array->loc;
	poly_stmt_set_write(copy, array, to, POLY_OP_NONE,
		poly_expr_access(source, from));
	return isl_stat_ok;
}

/* On success "*array" is the temporary that took the output's place in all
 * statements, and "loop" has values for the copy. Where the last iteration is
 * no simple function nothing changes, which is no error.
 */
isl_stat poly_copy_out(struct poly_prog *prog, struct poly_array **array,
	isl_union_pw_aff **loop, int n)
{
	char *name = poly_unique_name(prog, (*array)->name, "last");
	isl_set *domain = written(prog, *array, name);
	isl_schedule *order = isl_schedule_sequence(
		isl_schedule_copy(prog->original), isl_schedule_from_domain(
			isl_union_set_from_set(isl_set_copy(domain))));
	isl_union_map *last = before_copies(prog, *array, domain,
		isl_schedule_copy(order));
	isl_pw_aff *at[2] = { NULL, NULL };
	struct poly_array *temp = NULL;
	isl_stat ok = isl_stat_error;
	bool simple = name != NULL;

	for (int k = 0; k < n && simple; k++) {
		at[k] = at_last(last, loop[k]);
		simple = at[k] != NULL;
	}
	temp = simple ? poly_add_like(prog, *array, "scratch") : NULL;
	if (temp) {
		for (int k = 0; k < n; k++) {
			loop[k] = extended(loop[k], at[k]);
			at[k] = NULL;
		}
		for (int i = 0; i < prog->n_stmt; i++)
			poly_stmt_rename(prog->stmt[i], *array, temp);
		poly_prog_set_original(prog, isl_schedule_copy(order));
		ok = poly_add_copy(prog, name, isl_set_copy(domain), *array, temp);
		*array = temp;
	}
	for (int k = 0; k < n; k++)
		isl_pw_aff_free(at[k]);
	isl_union_map_free(last);
	isl_schedule_free(order);
	isl_set_free(domain);
	free(name);
	return simple ? ok : isl_stat_ok;
}

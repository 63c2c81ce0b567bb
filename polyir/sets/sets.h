/* Questions about isl's sets and functions: ranges, differences, fewer pieces. */
#ifndef POLYIR_SETS_H
#define POLYIR_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"

struct poly_bounds;
struct poly_str;

/* range.c: what is known of the sizes: the context, the fixed ones, and that no
 * size is negative; a set with all of them as parameters.
 */
__isl_give isl_set *poly_known_sizes(struct poly_prog *prog);
/* What the context says of sizes beyond that none is negative, as text that isl reads;
 * to be freed; NULL if that is nothing.
 */
char *poly_assumed_sizes(struct poly_prog *prog);
/* Is "prog" for sizes of these values, in the order of its parameters, of which the
 * hidden ones are none? If it is not, append what it is for.
 */
isl_bool poly_prog_fits(struct poly_prog *prog, const int64_t *size,
	struct poly_str *out);
/* The most bytes, at most those of the widest access, of which the length of a
 * row of "a" is a multiple for all sizes.
 */
enum { POLY_RUN_BYTES = 16 };
/* The sizes for which all rows of "a", which are its dimension "row" and those behind, begin
 * at multiples of "n" elements.
 */
__isl_give isl_set *poly_whole_rows(const struct poly_prog *prog,
	const struct poly_array *a, int row, int n);
/* The greatest value of "pa", 0 if the sizes that are known do not bound it or it is no
 * integer. The most tiles that the grid of "k" has along axis "dim".
 */
int64_t poly_greatest(struct poly_prog *prog, __isl_keep isl_pw_aff *pa);
int64_t poly_most_tiles(struct poly_prog *prog, const struct poly_kernel *k, int dim);
/* The dimension of "a" along which elements lie side by side: the last one that
 * is longer than 1, 0 if there is none, -1 if "a" has no dimensions.
 */
int poly_row_dim(struct poly_prog *prog, const struct poly_array *a);
int poly_row_align(struct poly_prog *prog, const struct poly_array *a);
/* The extent of dimension "dim" of "a", -1 if the sizes do not fix it. */
int64_t poly_fixed_extent(struct poly_prog *prog, const struct poly_array *a,
	int dim);

/* difference.c: are the constraints of "maps", which is not NULL, on the difference
 * of two numbers, or on one, each?
 */
bool poly_are_differences(__isl_keep isl_union_map *maps);

/* range.c: does "range", of one dimension, surely have a least, or a greatest,
 * value for all values of the parameters?
 */
bool poly_range_has_bound(__isl_keep isl_set *range, bool upper);
/* The values of dimension "dim" of "set", a set of one dimension. */
__isl_give isl_set *poly_range_of(__isl_keep isl_set *set, int dim);
/* Of the one-dimensional set "range", a set per value of the
 * parameters: its least value, and how many values lie from that to its
 * greatest, or 0 if there are none. Both may take in what lies between the
 * parts of the set: they are those of the hull, for sizes of the context.
 */
__isl_give isl_set *poly_range_hull(struct poly_prog *prog,
	__isl_take isl_set *range);
__isl_give isl_pw_aff *poly_range_first(struct poly_prog *prog,
	__isl_take isl_set *range);
/* The value of "pa" if it is one number from 0 on; else -1. */
int64_t poly_only_value(__isl_take isl_pw_aff *pa);
/* The function of the first piece of "pa", everywhere; NULL if it has none. */
__isl_give isl_pw_aff *poly_first_piece(__isl_keep isl_pw_aff *pa);
__isl_give isl_pw_aff *poly_range_length(struct poly_prog *prog,
	__isl_take isl_set *range);
/* "set" where parameter "i" of "prog" is "value". */
__isl_give isl_set *poly_at_size(const struct poly_prog *prog,
	__isl_take isl_set *set, int i, int64_t value);
/* How many values dimension "dim" of "set" has, for all parameters that are no
 * sizes together; sizes that are not fixed are taken for typical ones.
 */
double poly_range_count(struct poly_prog *prog, __isl_take isl_set *set,
	int dim);
/* How many values "member" has on the instances "domain" then. */
double poly_value_count(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_take isl_union_pw_aff *member);
/* How many elements "array" has then. */
double poly_array_count(struct poly_prog *prog,
	const struct poly_array *array);

/* dims.c: is no coefficient of "aff", but of parameters, larger than "most"? */
bool poly_aff_is_within(__isl_keep isl_aff *aff, int most);
/* dims.c: "set" with "more" dimensions, which are free, in the place of "d". */
__isl_give isl_set *poly_replace_dim(__isl_take isl_set *set, int d, int more);
/* The part of "set" where 0 <= dimension "d" < size "name". */
__isl_give isl_set *poly_bound_dim(__isl_take isl_set *set, int d,
	const char *name);
/* Does dimension "d" of "set" take all values below "size", whatever the others
 * are?
 */
bool poly_goes_over(__isl_keep isl_set *set, int d, const char *size);
/* The dimension of "stmt" that goes over the parts of a divided sum, -1 if
 * there is none.
 */
int poly_parts_dim(const struct poly_prog *prog, const struct poly_stmt *stmt);

/* same.c: are "a" and "b", both taken, the same function on "domain", where both
 * are defined? isl_bool_error if isl fails.
 */
isl_bool poly_is_same_on(__isl_take isl_multi_pw_aff *a,
	__isl_take isl_multi_pw_aff *b, __isl_keep isl_set *domain);
/* Do all pieces of "a" and "b", both taken, come to the same text on the box of
 * "domain"? Then they are the same function there, where both are defined; if not,
 * they may still be.
 */
isl_bool poly_is_written_alike(__isl_take isl_multi_pw_aff *a,
	__isl_take isl_multi_pw_aff *b, __isl_keep isl_set *domain);

/* subset.c: is "a" a part of "b"? Soon told where most pieces of "a" are pieces of "b", as
 * isl_set_is_subset does not.
 */
isl_bool poly_set_is_part(__isl_keep isl_set *a, __isl_keep isl_set *b);
isl_bool poly_union_set_is_part(__isl_keep isl_union_set *a, __isl_keep isl_union_set *b);

/* within.c: the bounds of each variable of "set", parameters among them, apart; to be
 * freed; NULL without memory or if isl fails.
 */
struct poly_bounds *poly_bounds_of(__isl_keep isl_set *set);
void poly_bounds_free(struct poly_bounds *box);
/* "aff", whose parameters are those of "box" in the same order, in a form that is the
 * same on the box: divisions lose multiples, and are gone where their rest stays
 * within one.
 */
__isl_give isl_aff *poly_bounds_shorten(__isl_take isl_aff *aff,
	const struct poly_bounds *box);

#endif

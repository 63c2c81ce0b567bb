/* Which arrays of a block kernel are worth a place in shared memory?
 *
 * Those that it accesses again and again, what is accessed most for its size first, as
 * far as there is room: temporaries that no other kernel knows, and arrays of which
 * there is a copy while the kernel runs. What is read before it is written is copied in,
 * what is written is copied out.
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/prepare/prepare.h"
#include "polyir/memory/memory.h"
#include "polyir/map/block_stage.h"

/* Bytes of shared memory that are left for sums of threads; those between two arrays,
 * at most.
 *
 * GAP is what rounding up to the alignment of the next array may take.
 */
enum { REST_BYTES = 1024, GAP = 128 };
/* Accesses to an element that are worth a copy.
 *
 * A copy reads the element once and writes it once near, and perhaps back: four
 * accesses in all pay for that.
 */
#define WORTH 4.0
/* Pieces that the elements to be copied may come in. */
enum { MOST_PIECES = 4 };

/* Linear; kernels of one block have few statements (MOST_STATEMENTS of
 * loop_cost.c).
 */
static bool is_own(const struct poly_stage *s, const struct poly_stmt *stmt)
{
	for (int i = 0; i < s->n_stmt; i++)
		if (s->stmt[i] == stmt)
			return true;
	return false;
}

/* Whether data tell which elements of "array" are accessed. */
struct gathers {
	const struct poly_array *array;
	bool some;
};

static void note_gather(struct poly_expr *leaf, void *user)
{
	struct gathers *g = user;

	g->some |= leaf->array == g->array;
}

/* Does "stmt" access "array" in a way that a copy is not for?
 *
 * A copy has all elements at the same positions, so a gather could read one;
 * but what is in it when is known for affine accesses only.
 */
static bool is_bound(struct poly_stmt *stmt, const struct poly_array *array)
{
	struct gathers g = { array, array->scattered ||
		(stmt->write_array == array && (stmt->atomic || stmt->fold)) };

	poly_expr_each_gather(stmt->rhs, note_gather, &g);
	return g.some;
}

/* May the kernel have "array" to itself while it runs; do other statements access
 * it, too?
 *
 * Others may read what nobody writes: then both the copy and the array are
 * right.
 */
static bool is_apart(const struct poly_stage *s, const struct poly_array *array,
	bool *others)
{
	struct poly_prog *prog = s->prog;
	bool written = poly_any_writes(prog->stmt, prog->n_stmt, array);

	*others = false;
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *stmt = prog->stmt[i];

		if (stmt->kind != POLY_POINT)
			continue;
		if (is_own(s, stmt) && is_bound(stmt, array))
			return false;
		if (!is_own(s, stmt) && (is_bound(stmt, array) ||
		    poly_stmt_accesses(stmt, array)))
			*others = true;
	}
	return !*others || !written;
}

/* How often a statement accesses "array". */
struct count {
	const struct poly_array *array;
	int n;
};

static void count_read(struct poly_expr *leaf, void *user)
{
	struct count *c = user;

	c->n += leaf->array == c->array;
}

/* How often the kernel accesses "array", in boxes.
 *
 * Domains count as their boxes; a triangle counts twice.
 */
static double count_accesses(const struct poly_stage *s,
	const struct poly_array *array)
{
	double sum = 0;

	for (int i = 0; i < s->n_stmt; i++) {
		struct poly_stmt *stmt = s->stmt[i];
		int n_dim = isl_set_dim(stmt->domain, isl_dim_set);
		struct count c = { array, stmt->write_array == array };
		double box = 1;

		poly_expr_each_access(stmt->rhs, count_read, &c);
		for (int d = 0; d < n_dim && c.n; d++)
			box *= poly_range_count(s->prog,
				isl_set_copy(stmt->domain), d);
		sum += c.n * box;
	}
	return sum;
}

int64_t poly_largest_extent(struct poly_prog *prog, const struct poly_array *array,
	int d)
{
	isl_pw_aff *size = isl_pw_aff_intersect_params(
		isl_multi_pw_aff_get_at(array->extent, d),
		poly_known_sizes(prog));
	isl_val *most = isl_pw_aff_max_val(size);
	int64_t n = isl_val_is_int(most) == isl_bool_true &&
		isl_val_cmp_si(most, INT32_MAX) <= 0 ?
		isl_val_get_num_si(most) : 0;

	isl_val_free(most);
	return n > 0 ? n : 0;
}

/* The bytes of "array", 0 if they are not known. */
static double count_bytes(struct poly_prog *prog,
	const struct poly_array *array)
{
	double bytes = poly_type_size(array->type);

	for (int d = 0; d < array->n_dim; d++)
		bytes *= (double) poly_largest_extent(prog, array, d);
	return bytes;
}

/* The elements of "array" in the range of "accesses", which are taken; in few
 * pieces, or NULL.
 *
 * Many pieces would be a copy of many loops. The caller then takes a box, or
 * leaves the array alone.
 */
static __isl_give isl_set *cells(const struct poly_stage *s,
	const struct poly_array *array, __isl_take isl_union_map *accesses)
{
	isl_union_set *all = isl_union_map_range(accesses);
	isl_set *set = isl_union_set_extract_set(all,
		isl_multi_pw_aff_get_space(array->extent));

	isl_union_set_free(all);
	set = poly_set_coalesce(isl_set_gist_params(set,
		isl_set_copy(s->prog->context)));
	if (isl_set_n_basic_set(set) <= MOST_PIECES)
		return set;
	return isl_set_free(set);
}

/* The elements of "array" that the kernel reads, or a box that has them.
 *
 * To copy in more than is read does no harm.
 */
static __isl_give isl_set *read_cells(const struct poly_stage *s,
	const struct poly_array *array)
{
	isl_union_map *reads = isl_union_map_empty(
		isl_set_get_space(s->prog->context));
	isl_set *set;

	for (int i = 0; i < s->n_stmt; i++)
		reads = isl_union_map_union(reads,
			poly_stmt_reads(s->stmt[i]));
	set = cells(s, array, reads);
	return set ? set : poly_array_box(array, 0);
}

/* The elements of "array" that the kernel writes, if these are simple.
 *
 * To copy out more than is written would overwrite what others hold: here there
 * is no box.
 */
static __isl_give isl_set *written_cells(const struct poly_stage *s,
	const struct poly_array *array)
{
	isl_union_map *writes = isl_union_map_empty(
		isl_set_get_space(s->prog->context));

	for (int i = 0; i < s->n_stmt; i++)
		if (s->stmt[i]->write_array == array)
			writes = isl_union_map_add_map(writes,
				poly_stmt_write(s->stmt[i]));
	return cells(s, array, writes);
}

/* Has "array" values from the caller that the kernel reads?
 *
 * A kernel that writes before it reads, as with scratch, needs no values.
 */
static bool is_given(const struct poly_stage *s, const struct poly_array *array)
{
	if (array->role != POLY_INPUT && array->role != POLY_INOUT)
		return false;
	return !s->prog->original || array->role == POLY_INPUT ||
		!poly_is_scratch(s->prog, array);
}

void poly_note_near(struct poly_stage *s, struct poly_array *array)
{
	struct poly_near *near = &s->near[s->n];
	bool temp = poly_is_temp(array), others;
	bool given = is_given(s, array);
	double elements;

	*near = (struct poly_near){ .array = array,
		.bytes = count_bytes(s->prog, array),
		.accesses = count_accesses(s, array) };
	elements = near->bytes / poly_type_size(array->type);
	if (array->space != POLY_GLOBAL || near->bytes <= 0 ||
	    near->accesses <= 0 || !is_apart(s, array, &others) ||
	    (temp && others) ||
	    (!temp && near->accesses < WORTH * elements))
		return;
	if (!temp && poly_any_writes(s->stmt, s->n_stmt, array)) {
		near->out = written_cells(s, array);
		if (!near->out)
			return;
	}
	if (given)
		near->in = read_cells(s, array);
	s->n++;
}

/* The array with the most accesses to a byte comes first.
 *
 * Compared crosswise, as bytes of different arrays differ much.
 */
static int by_use(const void *a, const void *b)
{
	const struct poly_near *x = a, *y = b;
	double use = y->accesses * x->bytes - x->accesses * y->bytes;

	return use > 0 ? 1 : use < 0 ? -1 : 0;
}

void poly_keep_fitting(struct poly_stage *s)
{
	int bytes = s->prog->target.shared_bytes;
	double room = bytes ? 2.0 * bytes : POLY_SHARED_BYTES;
	int n = 0;

	room -= REST_BYTES;
	qsort(s->near, s->n, sizeof(*s->near), by_use);
	for (int i = 0; i < s->n; i++) {
		if (s->near[i].bytes + GAP <= room) {
			room -= s->near[i].bytes + GAP;
			s->near[n++] = s->near[i];
			continue;
		}
		isl_set_free(s->near[i].in);
		isl_set_free(s->near[i].out);
	}
	s->n = n;
}

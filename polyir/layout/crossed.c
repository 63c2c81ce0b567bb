/* Reads that lie across the lanes of a kernel of points.
 *
 *	C(i,j) = A(j,i)		lanes along j: each finds its element in another row of A
 *
 * Where neither array has rows that begin where a run may, threads have no squares of
 * points in registers (runs.c). So the block loads its tile of A with lanes along the rows
 * of A, keeps it in shared memory, and each thread finds the elements of its own points
 * there:
 *
 *	load A(j0+r, i0+lane)	->  tile[r][lane]	each warp has parts of rows
 *	C(i0+i, j0+lane)	<-  tile[lane][i]	rows of the tile are padded by a word
 *
 * Each element is loaded where the member that reads it has a point, as it would be
 * without that: so nothing is read that was not read before.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Points along either axis of a tile that is worth it, at least; bytes of the tiles of a
 * kernel, at most.
 */
enum { LEAST_POINTS = 16, MOST_BYTES = 32768 };

/* The search through an expression: reads that lie so into "list". */
struct search {
	struct poly_prog *prog;
	const struct poly_stmt *stmt;
	const struct poly_expr *list[POLY_MAX_OPERAND];
	int n;
};

/* Does entry "i" of "index" move with coordinate "d"? */
static bool moves(__isl_keep isl_multi_pw_aff *index, int i, int d)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);
	bool does = isl_pw_aff_involves_dims(pa, isl_dim_in, d, 1) !=
		isl_bool_false;

	isl_pw_aff_free(pa);
	return does;
}

bool poly_is_crossed(struct poly_prog *prog, const struct poly_stmt *stmt,
	const struct poly_expr *leaf)
{
	isl_multi_pw_aff *index;
	bool crossed, beside = false;
	int last;

	if (leaf->op != POLY_OP_ACCESS || leaf->array->role != POLY_INPUT ||
	    leaf->array->space != POLY_GLOBAL || leaf->array->type == POLY_BOOL)
		return false;
	last = poly_row_dim(prog, leaf->array);
	if (last < 0)
		return false;
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index),
		isl_multi_aff_copy(stmt->at));
	crossed = moves(index, last, 0) && !moves(index, last, 1);
	for (int i = 0; i < leaf->array->n_dim; i++) {
		crossed &= i == last || !moves(index, i, 0);
		beside |= i != last && moves(index, i, 1);
	}
	isl_multi_pw_aff_free(index);
	return crossed && beside;
}

/* Add the reads of "e" that lie so and are read at each point, whatever data tell. */
static void add_reads(struct search *s, const struct poly_expr *e)
{
	if (e->op == POLY_OP_LOOP || e->op == POLY_OP_BRANCH ||
	    e->op == POLY_OP_GATHER || e->op == POLY_OP_SCATTER ||
	    e->op == POLY_OP_EARLIER)
		return;
	if (poly_is_crossed(s->prog, s->stmt, e) && s->n < POLY_MAX_OPERAND)
		s->list[s->n++] = e;
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		add_reads(s, e->arg[i]);
}

/* Has the tile of "k" rows and columns enough, and threads single points? */
static bool may_cross(const struct poly_kernel *k)
{
	return k->tiled && !k->tile_k && !k->given && !k->blocks &&
		k->unit == POLY_UNIT_NONE && !k->cluster[0] && !k->cluster[1] &&
		k->vec[0] == 1 && k->vec[1] == 1 &&
		k->tile[0] >= LEAST_POINTS && k->tile[1] >= LEAST_POINTS &&
		k->thread[0] * k->thread[1] % POLY_LANES == 0 &&
		k->tile[1] % (k->thread[0] * k->thread[1] / POLY_LANES) == 0;
}

int64_t poly_crossed_bytes(const struct poly_kernel *k, const struct poly_expr *read)
{
	return (int64_t)k->tile[1] * poly_crossed_row(k, read) *
		poly_type_size(read->array->type);
}

int poly_crossed_row(const struct poly_kernel *k, const struct poly_expr *read)
{
	int size = poly_type_size(read->array->type);

	return k->tile[0] + (size < POLY_WORD ? POLY_WORD / size : 1);
}

/* Is "group" the only operation of "k", so that it runs once? */
static bool is_alone(struct poly_prog *prog, const struct poly_kernel *k)
{
	isl_union_set *domain = poly_kernel_domain(prog, k);
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	free(list);
	isl_union_set_free(domain);
	return list && n == 1;
}

int poly_crossed_reads(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *group, struct poly_crossed list[POLY_MAX_OPERAND])
{
	int64_t bytes = 0;
	int n = 0;

	if (group->kind != POLY_GROUP || group->along || !may_cross(k) ||
	    !is_alone(prog, k))
		return 0;
	for (int i = 0; i < group->n_member; i++) {
		struct search s = { .prog = prog, .stmt = group->member[i] };

		add_reads(&s, s.stmt->rhs);
		for (int r = 0; r < s.n && n < POLY_MAX_OPERAND; r++) {
			bytes += poly_crossed_bytes(k, s.list[r]);
			list[n++] = (struct poly_crossed){ i, s.list[r] };
		}
	}
	return bytes <= MOST_BYTES ? n : 0;
}

/* nvptx: the lines of a REDUCE: where their threads and points are, which places in shared
 * memory they take, and what two values of theirs make.
 */
#include <isl/ilp.h>

#include <math.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower_reduce.h"

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Where the threads and points of the lines of "op" are.
 *
 * One block of the line where the kernel has no cluster.
 */
struct nvptx_line nvptx_line_of(const struct poly_kernel *k,
	const struct poly_stmt *op)
{
	int axis = op->along == POLY_AXIS_0 ? 0 : 1;
	const struct poly_stmt *s = op->member[0];
	struct nvptx_line n = { .stmt = s, .kernel = k, .axis = axis,
		.term = { s->rhs, s->reduce } };

	n.step = axis ? 1 : smaller(k->thread[1], POLY_LANES);
	n.lanes = smaller(k->thread[axis], POLY_LANES / n.step);
	n.rows = k->thread[axis] / n.lanes;
	n.digits = k->tile[!axis] / k->thread[!axis];
	n.own = k->tile[axis] / k->thread[axis];
	n.blocks = poly_cluster(k, axis);
	return n;
}

/* Is "e" 2^63 - 1? */
static bool is_last(const struct poly_expr *e)
{
	const struct poly_expr *sign = e->op == POLY_OP_NOT ? e->arg[0] : NULL;

	return sign && sign->op == POLY_OP_SHL && sign->type == POLY_I64 &&
		sign->arg[0]->op == POLY_OP_CONST && sign->arg[0]->value == 1 &&
		sign->arg[1]->op == POLY_OP_CONST && sign->arg[1]->value == 63;
}

/* Are all values of "index", of which "s" makes one an instance, between 0 and 2^31 - 2? */
static bool is_position(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_pw_aff *pa = isl_pw_aff_intersect_domain(
		isl_multi_pw_aff_get_at(index, 0), isl_set_intersect_params(
		isl_set_copy(s->domain), isl_set_copy(l->fact.known)));
	isl_val *most = isl_pw_aff_max_val(isl_pw_aff_copy(pa));
	isl_val *least = isl_pw_aff_min_val(pa);
	bool is = isl_val_is_int(most) == isl_bool_true &&
		isl_val_is_int(least) == isl_bool_true &&
		isl_val_cmp_si(least, 0) >= 0 && isl_val_cmp_si(most,
		INT32_MAX) < 0;

	isl_val_free(most);
	isl_val_free(least);
	return is;
}

/* Is what "s" makes the least of some positions? */
bool nvptx_line_is_brief(struct nvptx_lower *l, const struct poly_stmt *s)
{
	const struct poly_expr *e = s->rhs;

	return !l->ir->m->opt.wide && s->reduce == POLY_OP_MIN &&
		s->write_array->type == POLY_I64 && e->op == POLY_OP_SELECT &&
		e->arg[1]->op == POLY_OP_INDEX && is_last(e->arg[2]) &&
		is_position(l, s, e->arg[1]->index);
}

/* The bytes of a place: a whole number of words, which clusters exchange.
 *
 * The exchange between blocks moves words of 32 bits.
 */
int nvptx_line_bytes(const struct nvptx_line *n)
{
	int size = poly_type_size(n->stmt->write_array->type);

	return size < 4 || n->brief ? 4 : size;
}

/* How many lines the block has places for.
 *
 * Digits across times threads across.
 */
int64_t nvptx_line_count(const struct nvptx_line *n)
{
	return (int64_t) n->digits * n->kernel->thread[!n->axis];
}

/* How many places of a line warps have.
 *
 * A line within one warp needs none.
 */
int nvptx_line_rows(const struct nvptx_line *n)
{
	return n->rows == 1 ? 0 : n->rows;
}

/* A block that shares its lines with others has one place more for each line;
 * along t0 two, since one thread puts them together for all; and one for what each of the
 * blocks sends.
 */
int64_t nvptx_reduce_bytes(const struct poly_kernel *k,
	const struct poly_stmt *op)
{
	struct nvptx_line n;

	if (op->kind != POLY_REDUCE)
		return 0;
	n = nvptx_line_of(k, op);
	return nvptx_places_bytes(nvptx_line_count(&n) * nvptx_line_bytes(&n) *
		(nvptx_line_rows(&n) + (n.blocks == 1 ? 0 : n.blocks + (n.axis ? 1 : 2))));
}

/* What all blocks together send to each. */
static int64_t sent_bytes(const struct nvptx_line *n)
{
	return nvptx_line_count(n) * n->blocks * nvptx_line_bytes(n);
}

int64_t nvptx_sent_bytes(struct nvptx_lower *l, const struct poly_stmt *op)
{
	struct nvptx_line n;

	if (op->kind != POLY_REDUCE)
		return 0;
	n = nvptx_line_of(l->kernel, op);
	n.brief = nvptx_line_is_brief(l, n.stmt);
	if (n.blocks == 1)
		return 0;
	return l->kernel->thread[n.axis] < n.blocks ? -1 : sent_bytes(&n);
}

static enum poly_type type_of(const struct nvptx_line *n)
{
	return n->brief ? POLY_I32 : n->stmt->write_array->type;
}

/* That of the array that is updated, or of a position. */
LLVMTypeRef nvptx_line_type(struct nvptx_ir *ir, const struct nvptx_line *n)
{
	return nvptx_value_type(ir, type_of(n));
}

/* By the operator of the terms. */
LLVMValueRef nvptx_line_combined(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef a, LLVMValueRef b)
{
	return nvptx_combined(ir, n->term.op, type_of(n), a, b);
}

/* The value that changes nothing, as a literal of the array's type.
 *
 * Where a function is computed of the greatest term, that is NaN, as max and min take the
 * other number: so is then what it makes of no number at all, which changes no cell either.
 */
LLVMValueRef nvptx_line_nothing(struct nvptx_lower *l, const struct nvptx_line *n)
{
	if (n->term.e != n->stmt->rhs)
		return LLVMConstReal(nvptx_line_type(l->ir, n), NAN);
	return nvptx_identity(l, n->term.op, type_of(n));
}

/* Is the term of "n" in "e"? */
static bool holds(const struct nvptx_line *n, const struct poly_expr *e)
{
	bool is = e == n->term.e;

	for (int i = 0; i < poly_op_n_arg(e->op) && !is; i++)
		is = holds(n, e->arg[i]);
	return is;
}

/* What "e" makes of the term in it, which is "v", at the instance "in". */
static LLVMValueRef done(struct nvptx_lower *l, const struct nvptx_line *n,
	const struct poly_expr *e, const LLVMValueRef *in, LLVMValueRef v)
{
	struct nvptx_value arg[2] = { { NULL, NULL } };

	if (e == n->term.e)
		return v;
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		if (holds(n, e->arg[i]))
			arg[i].v = done(l, n, e->arg[i], in, v);
		else
			arg[i] = nvptx_expr(l, e->arg[i], in);
	return nvptx_op(l->ir, e->op, e->type, arg).v;
}

LLVMValueRef nvptx_line_result(struct nvptx_lower *l, const struct nvptx_line *n,
	const LLVMValueRef *in, LLVMValueRef v)
{
	return done(l, n, n->stmt->rhs, in, v);
}

/* "v" of all of "lanes" lanes, "step" apart, put together.
 *
 * All lanes have the result afterwards.
 */
LLVMValueRef nvptx_line_exchanged(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef v, int lanes, int step)
{
	LLVMValueRef mask = nvptx_int(ir, -1);

	for (int i = lanes / 2; i > 0; i /= 2)
		v = nvptx_line_combined(ir, n, v, nvptx_exchange(ir, mask, v, i * step));
	return v;
}
/* Place number "at" from "base" on.
 *
 * Places are words: an element of 16 bits has a whole one.
 */
LLVMValueRef nvptx_line_place(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef at)
{
	LLVMTypeRef words = LLVMArrayType2(nvptx_i32(ir), nvptx_line_bytes(n) / 4);

	return nvptx_element(ir, words, base, at);
}

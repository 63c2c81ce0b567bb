/* nvptx: where the threads of a CONTRACT are, what its maps are there, and where lanes
 * find their fragments.
 *
 * The index of an operand is pulled back to [T0,T1,Tk,.., o0,o1, q0,q1, kk] (tile,
 * offset of the digit's point, thread, step), and equalities that hold for all of a
 * tile's points (floor((o0 + 4 q0) / 64) is 0) are found there, so that what is left is
 * a short affine function.
 *
 * And whether all that a tile reads there is finite.
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* Steps of a body: more do not fit the instruction cache; and of one in which an
 * operation takes several instructions and pairs of registers, of which those of
 * more steps at once do not fit the registers.
 */
enum { BODY = 4, SHORT_BODY = 2 };

/* "[T0,T1,Tk,e3,..,o0,o1,q0,q1,kk]" */
static __isl_give isl_space *place_tuple(isl_ctx *ctx, const struct nvptx_contract *c)
{
	isl_space *space = poly_add_dims(poly_tuple(ctx, NULL), "T", 0, 2);

	space = poly_add_dims(poly_add_dim(space, "Tk"), "e", 3, c->n_tile);
	space = poly_add_dims(poly_add_dims(space, "o", 0, 2), "q", 0, 2);
	return poly_add_dim(space, "kk");
}

/* The points that a thread is behind the one before it, of which "in" has the number;
 * with a unit it has those themselves.
 */
int nvptx_thread_step(const struct poly_kernel *k, int d)
{
	return k->unit ? 1 : k->vec[d];
}

/* "place -> [p0,p1,pk,..]", with the kernel's sizes in it. */
static __isl_give isl_multi_aff *point_at(const struct nvptx_contract *c,
	const struct poly_kernel *k, __isl_keep isl_space *place)
{
	isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(place),
		c->n_tile);

	for (int d = 0; d < 2; d++) {
		isl_aff *p = isl_aff_add(poly_at(place, "o%d", d),
			poly_times(poly_at(place, "q%d", d), nvptx_thread_step(k, d)));

		list = isl_aff_list_add(list, isl_aff_add(p, poly_times(
			poly_at(place, "T%d", d), k->tile[d])));
	}
	list = isl_aff_list_add(list, isl_aff_add(poly_at(place, "kk"),
		poly_times(poly_at(place, "Tk"), k->tile_k)));
	return poly_function(place, NULL, poly_add_at(list, place, 3, c->n_tile));
}

/* The places of the threads of "k" in a tile. */
static __isl_give isl_set *box_of(const struct poly_kernel *k,
	__isl_keep isl_space *place)
{
	isl_set *box = poly_between(isl_set_universe(isl_space_copy(place)),
		poly_at(place, "kk"), k->tile_k);

	for (int d = 0; d < 2; d++) {
		isl_aff *o = poly_at(place, "o%d", d);
		isl_aff *q = poly_at(place, "q%d", d);
		isl_aff *end = poly_number(place, k->tile[d]);

		box = poly_between(box, isl_aff_copy(q), k->unit ? k->tile[d] :
			k->thread[d]);
		box = isl_set_intersect(box, isl_pw_aff_nonneg_set(
			isl_pw_aff_from_aff(isl_aff_copy(o))));
		box = isl_set_intersect(box, isl_aff_lt_set(isl_aff_add(o,
			poly_times(q, nvptx_thread_step(k, d))), end));
	}
	return box;
}

/* "{ [T0,T1,Tk,..] -> S[..] }": the member's instance at a thread's place; in
 * "*box" the places.
 */
__isl_give isl_multi_aff *nvptx_contract_instance(struct nvptx_lower *l,
	const struct nvptx_contract *c, isl_set **box)
{
	isl_space *place = place_tuple(l->prog->ctx, c);
	isl_multi_aff *at = point_at(c, l->kernel, place);

	*box = box_of(l->kernel, place);
	isl_space_free(place);
	return isl_multi_aff_pullback_multi_aff(
		isl_multi_aff_copy(c->point->at), at);
}

/* "index" (member's domain -> buffer) as a function of the thread's place. */
__isl_give isl_multi_pw_aff *nvptx_contract_index(struct nvptx_lower *l,
	const struct nvptx_contract *c, __isl_keep isl_multi_pw_aff *index)
{
	isl_set *box;
	isl_multi_pw_aff *mpa;
	isl_pw_multi_aff *pma;
	isl_map *graph;

	mpa = isl_multi_pw_aff_pullback_multi_aff(isl_multi_pw_aff_copy(index),
		nvptx_contract_instance(l, c, &box));
	graph = isl_map_from_multi_pw_aff(mpa);
	graph = isl_map_intersect_domain(graph, box);
	graph = isl_map_detect_equalities(graph);
	pma = isl_pw_multi_aff_from_map(isl_map_copy(graph));
	pma = isl_pw_multi_aff_gist(pma, isl_map_domain(graph));
	return isl_multi_pw_aff_from_pw_multi_aff(pma);
}

/* The tiles in which the operation runs, as a set without a name. */
__isl_give isl_set *nvptx_contract_tiles(const struct nvptx_facts *fact,
	const struct nvptx_contract *c)
{
	return isl_set_reset_tuple_id(isl_set_intersect_params(
		isl_set_copy(c->op->domain), isl_set_copy(fact->known)));
}

/* The places whose point the member has, as far as that is not known. */
__isl_give isl_set *nvptx_contract_guard(struct nvptx_lower *l,
	const struct nvptx_contract *c)
{
	isl_set *box, *set, *known = nvptx_contract_tiles(&l->fact, c);
	isl_multi_aff *at = nvptx_contract_instance(l, c, &box);

	set = isl_set_preimage_multi_aff(isl_set_copy(c->point->domain), at);
	known = isl_set_add_dims(known, isl_dim_set, 5);
	return isl_set_gist(poly_set_coalesce(set),
		isl_set_intersect(known, box));
}

/* Is an operation on f64 in "e" more than one instruction? */
static bool takes_several(const struct poly_expr *e)
{
	bool several = false;

	for (int i = 0; i < POLY_MAX_ARG && e->arg[i]; i++)
		several |= takes_several(e->arg[i]);
	switch (e->op) {
	case POLY_OP_ADD: case POLY_OP_SUB: case POLY_OP_MUL:
	case POLY_OP_NEG: case POLY_OP_ABS: case POLY_OP_CAST:
		return several;
	default:
		return several || (e->arg[0] && e->type == POLY_F64);
	}
}

int nvptx_body(const struct poly_kernel *k, const struct poly_stmt *product)
{
	const struct poly_stmt *s = product->member[0];
	bool several = takes_several(s->rhs) ||
		(s->reduce != POLY_OP_ADD && s->rhs->type == POLY_F64);
	int n = several ? SHORT_BODY : BODY;

	return k->tile_k % n ? 1 : n;
}

/* -------------------------------------------------------------- fragments */

/* Which group along axis "d" of those that hold a fragment the thread is in: they are
 * counted down their columns.
 */
static LLVMValueRef own_group(struct nvptx_lower *l,
	const struct nvptx_fragments *u, int d)
{
	const struct poly_kernel *k = l->kernel;
	int columns = k->thread[1] / poly_unit_columns(k);
	int rows = k->thread[0] * k->thread[1] / u->threads / columns;
	LLVMValueRef n;

	if ((d ? columns : rows) == 1)
		return nvptx_int(l->ir, 0);
	n = nvptx_div(l->ir, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		u->threads));
	if (columns == 1 || (d && rows == 1))
		return n;
	return d ? nvptx_div(l->ir, n, nvptx_int(l->ir, rows)) :
		nvptx_mod(l->ir, n, nvptx_int(l->ir, rows));
}

/* Let "in" be where point "x" of fragment "i" along the axis of "s", of those of the
 * thread, and the step "k", are.
 */
void nvptx_side_go_to(struct nvptx_lower *l,
	const struct nvptx_fragments *u, const struct nvptx_side *s, LLVMValueRef x, LLVMValueRef k, LLVMValueRef i)
{
	const struct nvptx_unit_op *op = u->op;
	int d = s->axis, next = s->n > 1 ?
		poly_product_offset(l->kernel, d, s->each) : 0;

	for (int b = 0; b < 2; b++)
		op->in[op->digit + b] = op->in[op->thread + b] =
			nvptx_int(l->ir, 0);
	x = nvptx_add(l->ir, x, nvptx_mul(l->ir, own_group(l, u, d),
		nvptx_int(l->ir, u->c->extent[d])), "");
	op->in[op->thread + d] = x;
	op->in[op->digit + d] = nvptx_mul(l->ir, i, nvptx_int(l->ir, next));
	op->in[op->step] = k;
}

/* The address that "in" stands for. */
LLVMValueRef nvptx_side_address(struct nvptx_lower *l,
	const struct nvptx_fragments *u, const struct nvptx_side *s)
{
	LLVMValueRef index[16];

	nvptx_index(l, s->buffer, s->index, u->op->in, index);
	return nvptx_address(l, s->buffer, index);
}

/* The address of the lane's first element, or of its row of matrix lane / 8 of "n"
 * fragments.
 */
LLVMValueRef nvptx_side_element(struct nvptx_lower *l,
	const struct nvptx_fragments *u, const struct nvptx_side *s)
{
	nvptx_side_go_to(l, u, s, nvptx_layout_offset(l->ir, s->f, POLY_PLACE_LANE,
		u->lane, s->point), nvptx_layout_offset(l->ir, s->f,
		POLY_PLACE_LANE, u->lane, s->step), nvptx_int(l->ir, 0));
	return nvptx_side_address(l, u, s);
}

/* Where ldmatrix wants the lane to point for "n" fragments: at row l mod 8 of
 * matrix l / 8, for lane l; if there are fewer matrices, they begin anew.
 */
LLVMValueRef nvptx_side_row(struct nvptx_lower *l,
	const struct nvptx_fragments *u, const struct nvptx_side *s, int n)
{
	LLVMValueRef row = nvptx_mod(l->ir, u->lane, nvptx_int(l->ir, NVPTX_MATRIX_ROWS)),
		x[2];
	LLVMValueRef matrix = nvptx_mod(l->ir, nvptx_div(l->ir, u->lane,
		nvptx_int(l->ir, NVPTX_MATRIX_ROWS)), nvptx_int(l->ir, n * s->n_reg));

	x[s->point] = nvptx_layout_offset(l->ir, s->f, POLY_PLACE_REG, matrix,
		s->point);
	x[s->step] = nvptx_layout_offset(l->ir, s->f, POLY_PLACE_REG, matrix,
		s->step);
	x[s->trans ? s->step : s->point] = nvptx_add(l->ir,
		x[s->trans ? s->step : s->point], row, "");
	nvptx_side_go_to(l, u, s, x[s->point], x[s->step], nvptx_div(l->ir, matrix,
		nvptx_int(l->ir, s->n_reg)));
	return nvptx_side_address(l, u, s);
}

/* Where ldmatrix wants the lane to point for a fragment of pairs of bytes: four matrices,
 * each of two of every four steps, so that a lane finds its four in two of them. Which
 * two changes with half of the quarters, as their rows lie in other banks then. "order" is
 * that in which the lane puts together its bytes of the first of two columns.
 */
LLVMValueRef nvptx_side_pair(struct nvptx_lower *l,
	const struct nvptx_fragments *u, struct nvptx_side *s)
{
	enum { QUARTER = 4, HALF = 16, FIRST = 0x6420, OTHER = 0x2064, NEXT = 0x1111 };
	struct nvptx_ir *ir = l->ir;
	LLVMValueRef two = nvptx_int(ir, 2), four = nvptx_int(ir, QUARTER);
	LLVMValueRef row = nvptx_mod(ir, u->lane, nvptx_int(ir, NVPTX_MATRIX_ROWS));
	LLVMValueRef matrix = nvptx_div(ir, u->lane, nvptx_int(ir, NVPTX_MATRIX_ROWS));
	LLVMValueRef other = nvptx_div(ir, row, four), step;

	other = nvptx_mod(ir, nvptx_add(ir, other, matrix, ""), two);
	step = nvptx_add(ir, nvptx_mul(ir, nvptx_div(ir, row, two), four),
		nvptx_mod(ir, row, two), "");
	step = nvptx_add(ir, step, nvptx_mul(ir, other, two), "");
	step = nvptx_add(ir, step, nvptx_mul(ir, nvptx_div(ir, matrix, two),
		nvptx_int(ir, HALF)), "");
	nvptx_side_go_to(l, u, s, nvptx_int(ir, 0), step, nvptx_int(ir, 0));
	other = LLVMBuildICmp(ir->b, LLVMIntULT, nvptx_mod(ir, u->lane, four),
		two, "");
	for (int c = 0; c < 2; c++)
		s->order[c] = LLVMBuildSelect(ir->b, other,
			nvptx_int(ir, FIRST + c * NEXT),
			nvptx_int(ir, OTHER + c * NEXT), "");
	return nvptx_side_address(l, u, s);
}

__isl_give isl_pw_aff *nvptx_contract_steps(struct nvptx_lower *l,
	const struct nvptx_contract *c)
{
	isl_set *box, *set;
	isl_map *map;
	isl_multi_aff *at = nvptx_contract_instance(l, c, &box);
	isl_pw_multi_aff *lexmax;
	isl_pw_aff *last;

	set = isl_set_preimage_multi_aff(isl_set_copy(c->point->domain), at);
	set = isl_set_intersect_params(isl_set_intersect(set, box),
		isl_set_copy(l->fact.known));
	set = isl_set_project_out(set, isl_dim_set, nvptx_at_digit(c), 4);
	map = isl_map_from_domain(poly_set_coalesce(set));
	map = isl_map_move_dims(map, isl_dim_out, 0, isl_dim_in, c->n_tile, 1);
	lexmax = isl_map_lexmax_pw_multi_aff(map);
	last = isl_pw_multi_aff_get_at(lexmax, 0);
	isl_pw_multi_aff_free(lexmax);
	last = isl_pw_aff_gist(poly_pw_aff_coalesce(last),
		nvptx_contract_tiles(&l->fact, c));
	return isl_pw_aff_add_constant_val(last,
		isl_val_one(l->prog->ctx));
}

/* -------------------------------------------------------- is all finite there? */

/* The bits of the exponents of all elements of "type" in 64 bits, and by how much these
 * overflow into the sign where all of them are set; false: it is no type of a unit whose
 * exponents say what is finite.
 */
static bool exponents(enum poly_type type, uint64_t *mask, uint64_t *one)
{
	static const struct {
		enum poly_type type;
		uint64_t mask, one;
	} table[] = {
		{ POLY_F16, UINT64_C(0x7c007c007c007c00), UINT64_C(0x0400040004000400) },
		{ POLY_BF16, UINT64_C(0x7f807f807f807f80), UINT64_C(0x0080008000800080) },
		{ POLY_TF32, UINT64_C(0x7f8000007f800000), UINT64_C(0x0080000000800000) },
		{ POLY_F64, UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000) },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].type == type) {
			*mask = table[i].mask;
			*one = table[i].one;
			return true;
		}
	return false;
}

/* Bits of "was", and those that overflow of the run that begins at "element" of "a". */
static LLVMValueRef overflows(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *element, LLVMValueRef was)
{
	LLVMTypeRef i64 = nvptx_i64(l->ir), pair = LLVMVectorType(i64, 2);
	uint64_t mask = 0, one = 0;
	LLVMValueRef v = LLVMBuildLoad2(l->ir->b, pair, nvptx_address(l, a, element), "");

	exponents(a->type, &mask, &one);
	LLVMSetAlignment(v, POLY_RUN_BYTES);
	for (int i = 0; i < 2; i++) {
		LLVMValueRef x = LLVMBuildExtractElement(l->ir->b, v,
			nvptx_int(l->ir, i), "");

		x = LLVMBuildAnd(l->ir->b, x, LLVMConstInt(i64, mask, 0), "");
		x = LLVMBuildAdd(l->ir->b, x, LLVMConstInt(i64, one, 0), "");
		was = LLVMBuildOr(l->ir->b, was, x, "");
	}
	return was;
}

/* The same for all that the thread has of the buffer "a" of read "o": a run of 16 bytes
 * of each so many threads, of the slot that the tile is in; threads that are left over
 * look at others' runs.
 */
static LLVMValueRef all_overflows(struct nvptx_lower *l, const struct nvptx_contract *c,
	int o, LLVMValueRef was)
{
	const struct poly_array *a = c->op->operand[o];
	const int threads = l->kernel->thread[0] * l->kernel->thread[1];
	const int run = POLY_RUN_BYTES / poly_type_size(a->type);
	int columns = (int)nvptx_extent(a, a->n_dim - 1) / run;
	int n = (int)nvptx_extent(a, a->n_dim - 2) * columns;
	LLVMValueRef index[3], in[NVPTX_PLACE_DIM], thread = nvptx_thread_number(l, "");

	memcpy(in, c->in, sizeof(in));
	for (int d = nvptx_at_digit(c); d <= nvptx_at_step(c); d++)
		in[d] = nvptx_int(l->ir, 0);
	nvptx_index(l, a, c->index[o], in, index);
	for (int i = 0; i < n; i += threads) {
		LLVMValueRef at = nvptx_add(l->ir, thread, nvptx_int(l->ir, i), "");

		if (i + threads > n)
			at = nvptx_mod(l->ir, at, nvptx_int(l->ir, n));
		index[a->n_dim - 2] = nvptx_div(l->ir, at, nvptx_int(l->ir, columns));
		index[a->n_dim - 1] = nvptx_mul(l->ir, nvptx_mod(l->ir, at,
			nvptx_int(l->ir, columns)), nvptx_int(l->ir, run));
		was = overflows(l, a, index, was);
	}
	return was;
}

LLVMValueRef nvptx_unit_finite(struct nvptx_lower *l, const struct nvptx_contract *c,
	const bool *which)
{
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	LLVMValueRef bits = LLVMConstNull(i64), any[2] = { nvptx_int(l->ir, 0), NULL };
	uint64_t mask = 0, one = 0;

	for (int o = 0; o < 2; o++) {
		const struct poly_array *a = c->op->operand[o];

		if (which[o] && (!exponents(a->type, &mask, &one) || a->n_dim < 2 ||
		    nvptx_extent(a, a->n_dim - 1) * poly_type_size(a->type) %
		    POLY_RUN_BYTES))
			return NULL;
	}
	for (int o = 0; o < 2; o++)
		if (which[o])
			bits = all_overflows(l, c, o, bits);
	bits = LLVMBuildAnd(l->ir->b, bits, LLVMConstInt(i64, ~mask & (mask + one), 0), "");
	any[1] = LLVMBuildICmp(l->ir->b, LLVMIntNE, bits, LLVMConstNull(i64), "");
	return LLVMBuildNot(l->ir->b, nvptx_hw(l->ir, NVPTX_HW_BARRIER_OR, any, 2, ""), "");
}

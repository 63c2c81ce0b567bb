/* nvptx: the function of a kernel, with its arguments and attributes, and the launch that
 * the plan has of it.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/legal/legal.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Elements of a row that a thread has beside other registers, where it has 32. */
enum { FEW_WORDS = 16 };
/* Eighths of its threads that a multiprocessor has where each loads several elements at
 * once.
 */
enum { FULL = 6 };

/* The registers that a thread needs beside its register tile to run without spills;
 * more if copies pass through registers, or if their addresses do since sizes are not
 * fixed, for each thing more that a contraction reads than two, for fragments that
 * are converted to f16, and for each dimension in which a copy is padded. Left alone,
 * ptxas may aim at more blocks than these registers allow.
 */
enum { THREAD_REGISTERS = 96, COPY_REGISTERS = 40, READ_REGISTERS = 24,
	F16_REGISTERS = 32, PAD_REGISTERS = 4 };
/* The parts of a multiprocessor, each with as many registers, to which the warps of a
 * block go in turn.
 */
enum { PARTS = 4 };
enum { MAP_BYTES = 128, MAP_ALIGN = 64 };

static void enum_attribute(struct nvptx_ir *ir, int at, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(ir->fn, at,
		LLVMCreateEnumAttribute(ir->m->ctx, kind, 0));
}

/* Append an argument to the launch. */
static void add_arg(struct nvptx_launch *launch, enum nvptx_arg_kind kind,
	int index)
{
	launch->arg[launch->n_arg].kind = kind;
	launch->arg[launch->n_arg++].index = index;
}

/* Registers that the register arrays of a thread take. */
static int register_words(const struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	const struct poly_kernel *k = l->kernel;
	int n = k->tile[0] / k->thread[0] * (k->tile[1] / k->thread[1]);
	int words = 0;

	for (int i = 0; i < l->prog->n_array; i++)
		if (nvptx_is_used(u, i) && l->prog->array[i]->space == POLY_REGISTER)
			words += n * ((poly_type_size(l->prog->array[i]->type) +
				3) / 4);
	return words;
}

/* Does the kernel compute more of its sums than a conversion? */
static bool has_epilogue(const struct nvptx_lower *l)
{
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(l->prog, domain, &n);
	bool has = false;

	isl_union_set_free(domain);
	for (int i = 0; op && i < n; i++)
		for (int m = 0; op[i]->kind == POLY_GROUP && m < op[i]->n_member;
		     m++) {
			const struct poly_expr *e = op[i]->member[m]->rhs;

			while (e->op == POLY_OP_CAST)
				e = e->arg[0];
			has |= poly_op_n_arg(e->op) > 0;
		}
	free(op);
	return has;
}

/* Sums that are stored as they are find room beside those, and a feeder of one warp is
 * quicker: ptxas sees there, without a change of registers, that one thread comes along.
 */
bool nvptx_moves_registers(const struct nvptx_lower *l)
{
	return nvptx_has_feeder(l) && l->ir->m->opt.device == NVPTX_GPU &&
		poly_unit_is_async(l->kernel->unit) &&
		l->kernel->thread[0] * l->kernel->thread[1] > POLY_GROUP_THREADS &&
		has_epilogue(l);
}

int nvptx_block_threads(const struct nvptx_lower *l)
{
	return l->kernel->thread[0] * l->kernel->thread[1] +
		(nvptx_moves_registers(l) ? POLY_GROUP_THREADS :
		 nvptx_has_feeder(l) ? POLY_LANES : 0);
}

/* Rows of threads of a block: those of the kernel, for each of its tiles, and those of a
 * feeder's warps.
 */
static int block_rows(const struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	int columns = l->kernel->thread[1];

	return u->tiles * nvptx_block_threads(l) / columns;
}

/* Does nothing of the kernel need more than a warp, with no memory but registers? */
static bool is_warp_alone(struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	const struct poly_kernel *k = l->kernel;
	bool alone = k->tiled && k->thread[0] * k->thread[1] == POLY_LANES && !k->block &&
		!k->near && !k->ranked && !k->given && !l->help && !u->meets &&
		!u->across_bytes && !nvptx_relay_words(l);

	for (int i = 0; i < l->prog->n_array; i++)
		alone &= !nvptx_is_used(u, i) || l->prog->array[i]->space != POLY_SHARED;
	return alone;
}

/* A multiprocessor has room for 64 warps, but for 32 blocks, so that blocks of a warp each
 * leave half of it idle; and each block takes its time to come. So where tiles of a warp
 * are many, a block has several, which have nothing to do with one another. A target that
 * does not say how many multiprocessors it has gets one.
 */
int nvptx_block_tiles(struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	enum { MOST = 8, ROUNDS = 8 };
	int64_t all = is_warp_alone(l, u) ? nvptx_column_tiles(l, l->kernel) : 0;
	int64_t rounds = (int64_t)ROUNDS * l->prog->target.multiprocessors;
	int n = MOST;

	if (!rounds)
		return 1;
	while (n > 1 && all < n * rounds)
		n /= 2;
	return n;
}

/* How many blocks a multiprocessor the registers of a thread allow, at least 1. */
static int blocks_by_registers(const struct nvptx_lower *l,
	const struct nvptx_kernel_usage *u)
{
	int more = u->n_read > 2 ? u->n_read - 2 : 0;
	int threads = nvptx_block_threads(l);
	bool lean = l->kernel->stages > 1 && poly_prog_is_fixed(l->prog);
	int need = THREAD_REGISTERS + register_words(l, u) +
		(lean ? 0 : COPY_REGISTERS) + more * READ_REGISTERS +
		(poly_unit_widens(l->kernel->unit) ? F16_REGISTERS : 0) +
		u->pads * PAD_REGISTERS;
	int warps = (threads + POLY_LANES - 1) / POLY_LANES;
	int n = POLY_REGISTERS / PARTS / POLY_LANES / need * PARTS / warps;

	return n > 1 ? n : 1;
}

int nvptx_thread_registers(const struct nvptx_lower *l,
	const struct nvptx_kernel_usage *u)
{
	enum { UNIT = 8 };
	int threads = nvptx_block_threads(l);
	int n = POLY_REGISTERS / (threads * blocks_by_registers(l, u));

	return n / UNIT * UNIT;
}

/* Let the map "arg" say along which dimensions "boxes" go. */
static void tell_boxes(struct nvptx_arg *arg, const struct poly_boxes *boxes)
{
	arg->line = boxes->line;
	arg->across = boxes->across;
	for (int d = 1; boxes->slide && d <= boxes->across; d++)
		arg->walk[arg->n_walk++] = (struct cetane_rt_walk){ boxes->low[d],
			boxes->count[d], boxes->step[d] };
}

/* Append the maps of the arrays whose boxes are copied. */
static void add_maps(struct nvptx_lower *l, const struct nvptx_kernel_usage *u,
	struct nvptx_launch *launch)
{
	for (int i = 0; i < l->prog->n_stmt; i++) {
		const struct poly_stmt *s = l->prog->stmt[i];
		const struct poly_array *to;
		struct poly_boxes boxes;

		if (!nvptx_needs_map(u, l->ir, s))
			continue;
		to = s->member[0]->write_array;
		add_arg(launch, NVPTX_ARG_MAP, l->planned.number[
			nvptx_array_number(l->prog, s->member[0]->rhs->array)]);
		launch->arg[launch->n_arg - 1].rows = nvptx_extent(to,
			to->n_dim - 2) / poly_copy_parts(l->kernel, s);
		if (!poly_boxes_of(l->prog, s, &boxes))
			nvptx_fail(l->ir, nvptx_i32(l->ir),
				"a copy in bulk has no boxes");
		tell_boxes(&launch->arg[launch->n_arg - 1], &boxes);
		poly_boxes_free(&boxes);
	}
}

/* What it is called; NULL without memory. */
static char *launch_name(struct nvptx_lower *l)
{
	char *own = nvptx_version_name(&l->version, l->kernel->name);
	struct poly_str name = { 0 };

	poly_str_add(&name, own ? own : "");
	nvptx_help_name(l, &name);
	free(own);
	return name.s;
}

/* Does the launch begin while the one in front of it ends?
 *
 * That saves 0.3 us of an H200. A product without a unit does not: its blocks take long,
 * and those that begin early gather on the few multiprocessors that have room, where they
 * stay (chains of products took 1.6 times as long, a product of 2000x2300x2600 1.18 times).
 */
static bool begins_early(const struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	bool multiplies = u->n_read > 0 && !l->kernel->unit;

	return nvptx_begins_early(&l->ir->m->opt) && !multiplies;
}

/* The plan's launch of the kernel, with its arguments. */
struct nvptx_launch *nvptx_plan_launch(struct nvptx_lower *l,
	const struct nvptx_kernel_usage *u)
{
	struct poly_prog *prog = l->prog;
	struct nvptx_plan *plan = &l->ir->m->plan;
	struct nvptx_launch *launch = &plan->launch[plan->n_launch++];
	int n_host = poly_kernel_n_host(prog, l->kernel);
	int n_size = prog->n_param - prog->n_hidden;

	launch->kernel = launch_name(l);
	while (prog->kernel[launch->of] != l->kernel)
		launch->of++;
	launch->arg = calloc(prog->n_array + prog->n_param + POLY_MAX_HOST + prog->n_stmt +
		2 + NVPTX_N_HELP_ARRAY,
		sizeof(*launch->arg));
	if (!launch->kernel || !launch->arg) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		return NULL;
	}
	launch->thread[0] = block_rows(l, u);
	launch->thread[1] = l->kernel->thread[1];
	for (int d = 0; d < 2; d++)
		launch->cluster[d] = !l->kernel->blocks ?
			poly_cluster(l->kernel, d) : d ? nvptx_cluster_blocks(l) : 1;
	launch->early = begins_early(l, u);
	if (!l->help || l->help->part == NVPTX_HELP_USES)
		nvptx_plan_grid(l, l->kernel, u->tiles, launch);
	if (l->ir->failed)
		return NULL;
	for (int i = 0; i < prog->n_array; i++) {
		if (nvptx_is_argument(u, i))
			add_arg(launch, NVPTX_ARG_ARRAY, l->planned.number[i]);
		if (nvptx_is_argument(u, i))
			launch->arg[launch->n_arg - 1].offset =
				nvptx_part_offset(l, u, i);
	}
	for (int i = 0; i < prog->n_param; i++)
		if (i >= n_size)
			add_arg(launch, NVPTX_ARG_ITER, n_host + i - n_size);
		else if (!prog->param[i].fixed)
			add_arg(launch, NVPTX_ARG_SIZE, i);
	launch->n_iter = n_host + prog->n_hidden;
	for (int i = 0; i < n_host; i++)
		add_arg(launch, NVPTX_ARG_ITER, i);
	if (l->kernel->together)
		add_arg(launch, NVPTX_ARG_COUNT, nvptx_plan_count(l->ir,
			launch->kernel));
	if (nvptx_relay_words(l))
		add_arg(launch, NVPTX_ARG_CLEAR, nvptx_plan_relay(l,
			launch->kernel, nvptx_relay_words(l)));
	if (l->help)
		nvptx_help_arguments(l, launch);
	add_maps(l, u, launch);
	return launch;
}

/* Do runs of array "a" begin at multiples of a run wherever its rows do, by points that
 * are shifted (polyir/rows/shape.c)?
 */
static bool is_shifted(struct nvptx_lower *l, const struct poly_array *a)
{
	bool shifted = false;
	int n;
	struct poly_stmt **list = poly_kernel_stmts(l->prog, l->kernel, &n);

	for (int i = 0; list && i < n; i++)
		shifted |= list[i]->at && isl_multi_aff_involves_locals(
			list[i]->at) == isl_bool_true;
	free(list);
	for (int i = 1; i < a->n_dim && shifted; i++)
		shifted = nvptx_fixed_step(l, a, i) >= 0;
	return shifted;
}

/* Argument "at" is array "i", which a register tile goes through in runs: if its
 * rows are multiples of a run, each of them is aligned when the array is. So
 * is the only row of an array of one dimension, which but a copy by tiles may
 * leave in the midst of a run.
 */
static void align_argument(struct nvptx_lower *l, int at, int i)
{
	const struct poly_array *a = l->prog->array[i];
	bool whole = !l->kernel->tile_k && (poly_row_dim(l->prog, a) == 0 ||
		is_shifted(l, a));
	int align = whole ? POLY_RUN_BYTES : poly_row_align(l->prog, a);
	struct nvptx_plan_array *p;
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);

	if (align <= poly_type_size(a->type))
		return;
	LLVMAddAttributeAtIndex(l->ir->fn, at,
		LLVMCreateEnumAttribute(l->ir->m->ctx, kind, align));
	p = &l->ir->m->plan.array[l->planned.number[i]];
	p->align = align > p->align ? align : p->align;
	l->planned.aligned = true;
}

/* False, which ends a walk, at a loop that is written out. */
static isl_bool is_kept(__isl_keep isl_schedule_node *node, void *user)
{
	isl_size n = 0;
	bool out = false;

	(void)user;
	if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
		n = isl_schedule_node_band_n_member(node);
	for (int i = 0; i < n; i++)
		out |= isl_schedule_node_band_member_get_ast_loop_type(node,
			i) == isl_ast_loop_unroll;
	return isl_bool_ok(!out);
}

/* Does a script write out iterations in the kernel, which may be at neighbours? */
static bool is_written_out(struct nvptx_lower *l)
{
	isl_schedule_node *node;
	bool out;

	if (!l->kernel->given)
		return false;
	node = poly_kernel_node(l->prog, l->kernel);
	out = isl_schedule_node_every_descendant(node, is_kept, NULL) ==
		isl_bool_false;
	isl_schedule_node_free(node);
	return out;
}

/* An array, and whether threads of a block hand on elements of it to one another. */
struct handed {
	struct poly_prog *prog;
	const struct poly_array *array;
	bool is;
};

/* Are the pairs "map" of instances in different threads perhaps about the array? */
static isl_stat is_pair_of(__isl_take isl_map *map, void *user)
{
	struct handed *h = user;
	struct poly_stmt *a = poly_prog_find_stmt(h->prog,
		isl_map_get_tuple_name(map, isl_dim_in));
	struct poly_stmt *b = poly_prog_find_stmt(h->prog,
		isl_map_get_tuple_name(map, isl_dim_out));

	h->is |= !a || !b || (poly_stmt_accesses(a, h->array) &&
		poly_stmt_accesses(b, h->array) &&
		(a->write_array == h->array || b->write_array == h->array));
	isl_map_free(map);
	return isl_stat_ok;
}

/* Is what a thread of the kernel writes to array "i" its own in the launch? Then it may
 * stay in registers across barriers, which tell LLVM that another may have changed it.
 */
static bool is_own(struct nvptx_lower *l, int i)
{
	struct handed h = { l->prog, l->prog->array[i], false };
	isl_union_map *pairs;
	isl_stat ok;

	if (!l->kernel->block)
		return true;
	if (!l->kernel->given)
		return false;
	pairs = poly_thread_pairs(l->prog, l->kernel);
	ok = isl_union_map_foreach_map(pairs, is_pair_of, &h);
	isl_union_map_free(pairs);
	return ok == isl_stat_ok && !h.is;
}

/* Do threads of "k" access elements that lie side by side? */
static bool has_runs(const struct poly_kernel *k)
{
	return k->vec[0] > 1 || k->vec[1] > 1 || (!k->tiled && k->vec_k > 1);
}

/* Does a loop of "piece" go in steps of two, four or eight? Longer ones are those of
 * lanes.
 */
static isl_stat add_steps(__isl_take isl_set *where, __isl_take isl_aff *piece,
	void *user)
{
	int n = isl_aff_dim(piece, isl_dim_in);
	bool *steps = user;

	for (int d = 0; d < n; d++) {
		isl_val *by = isl_val_abs(isl_aff_get_coefficient_val(piece,
			isl_dim_in, d));

		for (int k = 2; k <= 8; k *= 2)
			*steps |= isl_val_cmp_si(by, k) == 0;
		isl_val_free(by);
	}
	isl_aff_free(piece);
	isl_set_free(where);
	return isl_stat_ok;
}

/* Does a point read every second element of a row, or every fourth, and perhaps those
 * between, as windows that lie so far apart do? If rows are aligned, LLVM finds what lies
 * side by side.
 */
static bool goes_in_steps(struct nvptx_lower *l)
{
	isl_union_set *domain;
	struct poly_stmt **list;
	bool steps = false;
	int n;

	if (l->kernel->tiled)
		return false;
	domain = poly_kernel_domain(l->prog, l->kernel);
	list = poly_stmts_of(l->prog, domain, &n);
	for (int i = 0; list && i < n; i++) {
		struct poly_expr *leaf[POLY_MAX_OPERAND];
		int most = list[i]->rhs ? poly_leaves(list[i], leaf) : 0;

		for (int k = 0; k < most && k < POLY_MAX_OPERAND; k++) {
			int row = leaf[k]->array->n_dim - 1;
			isl_pw_aff *at = row < 0 ? NULL :
				isl_multi_pw_aff_get_at(leaf[k]->index, row);

			if (at)
				isl_pw_aff_foreach_piece(at, add_steps, &steps);
			isl_pw_aff_free(at);
		}
	}
	free(list);
	isl_union_set_free(domain);
	return steps;
}

/* Has a block of "k", one of the largest, a row of which its threads hold so little that
 * two of them find registers on a multiprocessor?
 */
static bool has_room_beside(const struct poly_kernel *k)
{
	int own = k->tile[0] / k->thread[0] * (k->tile[1] / k->thread[1]);

	return k->tiled && k->thread[0] == 1 && own <= FEW_WORDS &&
		k->thread[1] == POLY_MOST_THREADS;
}

/* Ask for blocks a multiprocessor, where the kernel is one to ask for. Blocks of a
 * cluster have POLY_MOST_THREADS threads there.
 */
static void ask_for_blocks(struct nvptx_lower *l,
	const struct nvptx_kernel_usage *u, const struct nvptx_launch *launch)
{
	const struct poly_kernel *k = l->kernel;
	struct poly_str text = { 0 };
	int n;

	if (k->tile_k || (has_runs(k) && !k->tiled && !u->lanes))
		n = blocks_by_registers(l, u);
	else if (k->block)
		n = 1;
	else if (nvptx_relay_words(l))
		n = nvptx_relay_blocks(l);
	else if (nvptx_has_clusters(launch))
		n = POLY_MOST_THREADS / (k->thread[0] * k->thread[1]);
	else if (l->help && l->help->part != NVPTX_HELP_FINDS && l->help->width == 1 &&
		 !l->help->ordered)
		n = l->prog->target.threads / l->help->threads * FULL / 8;
	else if (has_room_beside(k))
		n = 2;
	else
		return;
	poly_str_printf(&text, "%d", n);
	LLVMAddTargetDependentFunctionAttr(l->ir->fn, "nvvm.minctasm",
		text.s ? text.s : "1");
	poly_str_free(&text);
}

bool nvptx_has_clusters(const struct nvptx_launch *launch)
{
	return launch->cluster[0] * launch->cluster[1] > 1;
}

/* Argument "at" is the 128 bytes of a map, which copies of boxes find where it is. */
static void pass_map(struct nvptx_ir *ir, int at)
{
	static const char constant[] = "nvvm.grid_constant";
	LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(ir->m->ctx),
		MAP_BYTES);

	LLVMAddAttributeAtIndex(ir->fn, at, LLVMCreateTypeAttribute(ir->m->ctx,
		LLVMGetEnumAttributeKindForName("byval", 5), bytes));
	LLVMAddAttributeAtIndex(ir->fn, at, LLVMCreateEnumAttribute(ir->m->ctx,
		LLVMGetEnumAttributeKindForName("align", 5), MAP_ALIGN));
	LLVMAddAttributeAtIndex(ir->fn, at, LLVMCreateStringAttribute(
		ir->m->ctx, constant, sizeof(constant) - 1, "", 0));
}

void nvptx_gpu_function(struct nvptx_lower *l, const struct nvptx_kernel_usage *u,
	const struct nvptx_launch *launch)
{
	int n_arg = launch->n_arg;
	LLVMTypeRef *type = calloc(n_arg + 1, sizeof(*type));
	LLVMTypeRef fn_type;
	struct poly_str block = { 0 };
	bool runs;
	int n = 0;

	if (!type)
		return;
	for (int i = 0; i < l->prog->n_array; i++)
		if (nvptx_is_argument(u, i))
			type[n++] = LLVMPointerTypeInContext(l->ir->m->ctx, 1);
	for (; n < n_arg; n++)
		type[n] = launch->arg[n].kind == NVPTX_ARG_ARRAY || launch->arg[n].kind == NVPTX_ARG_COUNT ||
			launch->arg[n].kind == NVPTX_ARG_CLEAR ?
			LLVMPointerTypeInContext(l->ir->m->ctx, 1) :
			launch->arg[n].kind == NVPTX_ARG_MAP ?
			LLVMPointerTypeInContext(l->ir->m->ctx, 0) :
			nvptx_i64(l->ir);
	fn_type = LLVMFunctionType(LLVMVoidTypeInContext(l->ir->m->ctx), type,
		n_arg, 0);
	free(type);
	l->ir->fn = LLVMAddFunction(l->ir->m->module, launch->kernel, fn_type);
	LLVMSetFunctionCallConv(l->ir->fn, LLVMPTXKernelCallConv);
	poly_str_printf(&block, "%d,%d,1", l->kernel->thread[1], block_rows(l, u));
	LLVMAddTargetDependentFunctionAttr(l->ir->fn, "nvvm.reqntid", block.s);
	poly_str_free(&block);
	if (nvptx_has_clusters(launch)) {
		poly_str_printf(&block, "%d,%d,1", launch->cluster[1],
			launch->cluster[0]);
		LLVMAddTargetDependentFunctionAttr(l->ir->fn,
			"nvvm.cluster_dim", block.s);
		poly_str_free(&block);
	}
	ask_for_blocks(l, u, launch);
	for (n = 0; n < n_arg; n++)
		if (launch->arg[n].kind == NVPTX_ARG_MAP)
			pass_map(l->ir, n + 1);
	n = 1;
	runs = has_runs(l->kernel) || u->bulk || is_written_out(l) ||
		goes_in_steps(l);
	for (int i = 0; i < l->prog->n_array; i++) {
		if (!nvptx_is_argument(u, i))
			continue;
		if (!u->written[i] || is_own(l, i))
			enum_attribute(l->ir, n, "noalias");
		if (!u->written[i])
			enum_attribute(l->ir, n, "readonly");
		if (runs)
			align_argument(l, n, i);
		n++;
	}
}

void nvptx_host_function(struct nvptx_ir *ir,
	const struct nvptx_launch *launch)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(ir->m->ctx, 0);
	LLVMTypeRef type[2] = { ptr, ptr };
	LLVMTypeRef fn_type = LLVMFunctionType(
		LLVMVoidTypeInContext(ir->m->ctx), type, 2, 0);

	ir->fn = LLVMAddFunction(ir->m->module, launch->kernel, fn_type);
	ir->thread = LLVMGetParam(ir->fn, 0);
	LLVMSetValueName2(ir->thread, "t", 1);
	LLVMSetValueName2(LLVMGetParam(ir->fn, 1), "args", 4);
	enum_attribute(ir, 1, "noalias");
	enum_attribute(ir, 2, "noalias");
	enum_attribute(ir, 2, "readonly");
	enum_attribute(ir, LLVMAttributeFunctionIndex, "nounwind");
}

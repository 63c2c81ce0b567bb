/* nvptx: a scheduled program as an LLVM module, one function a kernel.
 *
 *	GPU:  define ptx_kernel void @k(ptr addrspace(1) %A, .., i64 %M.arg, ..)
 *	host: define void @k(ptr %t, ptr %args), args[i] points to the value
 *
 * Arguments are the global arrays that the kernel accesses, or the one part of each that
 * it does (nvptx_part_offset), then the sizes that are not fixed, both in program order,
 * then the iterators of the loops around the launch, where its blocks are counted if they
 * wait for one another, and maps of arrays whose boxes it copies. Sizes are cut to 32 bits
 * once; the caller guarantees that they are below 2^31, and tiles are powers of two, so
 * that no point of a tile is beyond 32 bits either.
 *
 * The block with the tile coordinates (b0, b1) is found as nvptx_launch says:
 * b0 = ctaid.z * 65535 + ctaid.y, b1 = ctaid.x; of one column with more blocks than 65535
 * (plan.c) b0 = ctaid.x, b1 = 0. Blocks behind the last tile leave at once, all their
 * threads together, before any barrier.
 *
 * Modes of the host device:
 *	checked	every access asks the runtime (lower_mem.c)
 *	wide	reference mode, naive kernels only: every element of memory is
 *		{f64 value, f64 bound of its error} (lower_wide.c)
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Whether the target can run a block like this. */
static void check_limits(struct nvptx_lower *l, int64_t shared)
{
	const struct nvptx_target *t = l->ir->m->opt.target;
	int n = nvptx_block_threads(l);

	if (l->ir->m->opt.device != NVPTX_GPU)
		return;
	if (shared > t->shared_block) {
		poly_report_add(l->ir->report, MSG_NVPTX_SHARED, NULL,
			l->kernel->name, (long long) shared, t->name,
			t->shared_block);
		l->ir->failed = true;
	}
	if (n > t->threads_block) {
		poly_report_add(l->ir->report, MSG_NVPTX_THREADS, NULL,
			l->kernel->name, n, t->name, t->threads_block);
		l->ir->failed = true;
	}
}

/* Blocks of a kernel that has help wait for it where they need it. If none does the first
 * waits in the end, so that the kernel does not end before that.
 */
static void wait_for_help(struct nvptx_lower *l)
{
	struct nvptx_branch branch;
	LLVMValueRef block;

	if (!l->help || !nvptx_begins_early(&l->ir->m->opt))
		return;
	block = LLVMBuildOr(l->ir->b, nvptx_hw(l->ir, NVPTX_HW_CTAID_X, NULL, 0, ""),
		nvptx_hw(l->ir, NVPTX_HW_CTAID_Y, NULL, 0, ""), "");
	nvptx_if_begin(l->ir, &branch, LLVMBuildIsNull(l->ir->b, block, ""), "first");
	nvptx_hw(l->ir, NVPTX_HW_LAUNCH_WAIT, NULL, 0, "");
	nvptx_if_end(l->ir, &branch);
}

/* Write the function of l->kernel, whose loops are "ast", and note the shared memory
 * that it takes in "launch". Places in shared memory are given away in the order of the
 * calls: buffers, barriers, then what threads exchange values in.
 */
static void lower_body(struct nvptx_lower *l, const struct nvptx_kernel_usage *u,
	struct nvptx_launch *launch, __isl_keep isl_ast_node *ast)
{
	int64_t shared;

	if (l->ir->m->opt.device == NVPTX_GPU)
		nvptx_gpu_function(l, u, launch);
	else
		nvptx_host_function(l->ir, launch);
	LLVMPositionBuilderAtEnd(l->ir->b, nvptx_block(l->ir, "entry"));
	nvptx_debug_kernel(l->ir, l->kernel->name, u->loc);
	nvptx_bind_arguments(l, u);
	l->value.shared = nvptx_shared_start(l);
	l->value.shared_at = nvptx_places_bytes(nvptx_bind_barriers(l,
		nvptx_bind_shared(l, u)));
	shared = l->value.shared_at + u->across_bytes +
		(l->value.relay ? nvptx_relay_bytes() : 0) +
		nvptx_near_bytes(l->prog, l->kernel) +
		nvptx_ranks_bytes(l->prog, l->kernel) + nvptx_cluster_bytes(l);
	nvptx_bind_registers(l, u);
	nvptx_bind_places(l, u->tiles);
	nvptx_init_barriers(l);
	l->now.own = NULL;
	nvptx_keep_starts(l);
	if (u->down)
		nvptx_across_columns(l);
	launch->shared_bytes = (int) shared;
	if (shared && u->tiles > 1)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "tiles of warps share memory");
	check_limits(l, shared);
	nvptx_near_begin(l);
	nvptx_cluster_begin(l);
	if (l->kernel->blocks)
		nvptx_turns(l, ast);
	else if (!nvptx_ranks(l, ast))
		nvptx_ast(l, ast);
	nvptx_near_end(l);
	if (nvptx_has_clusters(launch))
		nvptx_cluster_end(l);
	wait_for_help(l);
	LLVMBuildRetVoid(l->ir->b);
	nvptx_check_places(l, u->loc);
	l->ir->stmt = NULL;
	l->value.instance = NULL;
}

/* Forget the values of a function. */
static void forget(struct nvptx_lower *l)
{
	nvptx_unbind(&l->name, 0);
	nvptx_range_clear(l->ir);
	l->ir->n_seen = 0;
	l->ir->stmt = NULL;
	l->value.instance = NULL;
}

/* Write the functions that stand in front of that of l->kernel (help.c). */
static void lower_help(struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	struct nvptx_launch *launch;

	for (int part = 0; part < NVPTX_HELP_USES && !l->ir->failed; part++) {
		l->help->part = part;
		launch = nvptx_plan_launch(l, u);
		if (!launch || l->ir->failed)
			return;
		if (l->ir->m->opt.device == NVPTX_GPU)
			nvptx_gpu_function(l, u, launch);
		else
			nvptx_host_function(l->ir, launch);
		LLVMPositionBuilderAtEnd(l->ir->b, nvptx_block(l->ir, "entry"));
		nvptx_debug_kernel(l->ir, l->kernel->name, u->loc);
		nvptx_bind_arguments(l, u);
		nvptx_bind_threads(l);
		l->now.own = NULL;
		l->starts.n = 0;
		if (part == NVPTX_HELP_FINDS)
			nvptx_help_find(l);
		else
			nvptx_help_make(l);
		LLVMBuildRetVoid(l->ir->b);
		forget(l);
	}
	l->help->part = NVPTX_HELP_USES;
}

/* Plan the launch of l->kernel, and write its code. */
static void lower_own(struct nvptx_lower *l)
{
	const struct poly_kernel *kernel = l->kernel;
	isl_ast_node *ast = poly_ast_kernel(l->prog, kernel);
	struct nvptx_launch *launch;
	struct nvptx_kernel_usage u;
	struct nvptx_help help;

	memset(l->now.digit, 0, sizeof(l->now.digit));
	l->fact.places = poly_kernel_places(l->prog, kernel);
	memset(l->value.base, 0, l->prog->n_array * sizeof(*l->value.base));
	memset(l->value.map, 0, l->prog->n_stmt * sizeof(*l->value.map));
	if (nvptx_kernel_usage_init(&u, l, ast) < 0)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "the AST cannot be walked");
	l->fact.lanes = u.lanes;
	l->fact.places_apart = u.repeats && !poly_prog_is_fixed(l->prog);
	l->help = ast && nvptx_find_help(l, &help, ast) ? &help : NULL;
	if (l->help)
		lower_help(l, &u);
	if (l->help)
		l->made = (struct nvptx_made){ help.stmt->rhs, nvptx_help_value,
			nvptx_help_beside };
	u.tiles = nvptx_block_tiles(l, &u);
	launch = l->ir->failed ? NULL : nvptx_plan_launch(l, &u);
	if (l->ir->m->opt.wide && kernel->tiled)
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"reference mode needs naive kernels");
	if (launch && !l->ir->failed)
		lower_body(l, &u, launch, ast);
	if (launch && !l->ir->failed)
		nvptx_share(l->ir, launch);
	if (launch && !l->ir->failed)
		nvptx_reuse_note(l, &u, launch);
	if (l->help)
		nvptx_help_clear(l->help);
	l->help = NULL;
	l->made.loop = NULL;
	nvptx_kernel_usage_clear(&u);
	isl_ast_node_free(ast);
	forget(l);
	l->fact.places = isl_set_free(l->fact.places);
}

/* Lower "kernel": find what is known of it, launch the code of one that is like it, or
 * its own, and forget all that was of this kernel.
 */
static void lower_kernel(struct nvptx_lower *l,
	const struct poly_kernel *kernel)
{
	l->kernel = kernel;
	l->fact.narrow = l->ir->narrow = kernel->tiled;
	if (!kernel->tile_k && !kernel->block && !l->ir->m->opt.checked &&
	    !l->ir->m->opt.wide &&
	    poly_untouched(l->prog, kernel, &l->fact.untouched,
	    &l->fact.n_untouched) < 0)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "the reads are not known");
	if (!l->ir->failed && !nvptx_reuse(l))
		lower_own(l);
	free(l->fact.untouched);
	l->fact.untouched = NULL;
	l->fact.n_untouched = 0;
}

/* LLVM's own verifier; returns false after a report. */
static bool verify(struct nvptx_ir *ir)
{
	char *text = NULL;
	bool bad = LLVMVerifyModule(ir->m->module, LLVMReturnStatusAction,
		&text);

	if (bad)
		poly_report_add(ir->report, MSG_NVPTX_VERIFY, NULL,
			text ? text : "");
	LLVMDisposeMessage(text);
	return !bad;
}

/* Lower the program, or plan it with the kernels of version "like". */
static bool lower_program(struct nvptx_lower *l, int like)
{
	struct poly_str tree = { 0 };

	if (!nvptx_plan_before(l) || nvptx_plan_init(l) < 0 || nvptx_plan_steps(l) < 0)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "the plan cannot be made");
	if (l->ir->failed)
		return false;
	if (like) {
		nvptx_plan_again(l, like);
		return !l->ir->failed;
	}
	if (l->ir->m->opt.comment) {
		poly_str_add(&tree, l->ir->m->tree ? l->ir->m->tree : "");
		poly_print_tree(l->prog, &tree, "; ");
	}
	if (tree.failed)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "no memory for its tree");
	free(l->ir->m->tree);
	l->ir->m->tree = tree.s;
	for (int i = 0; i < l->prog->n_kernel && !l->ir->failed; i++)
		lower_kernel(l, l->prog->kernel[i]);
	return !l->ir->failed;
}

/* Add "prog", a program of the version at hand, to the module; with "like", its
 * kernels are there already.
 */
static bool add_program(struct nvptx_lower *l, struct poly_prog *prog, int like)
{
	bool ok;

	l->prog = prog;
	l->fact.known = poly_known_sizes(prog);
	l->value.base = calloc(prog->n_array + 1, sizeof(*l->value.base));
	l->value.is_part = calloc(prog->n_array + 1, sizeof(*l->value.is_part));
	l->value.barrier = calloc(prog->n_array + 1, sizeof(*l->value.barrier));
	l->value.vacant = calloc(prog->n_array + 1, sizeof(*l->value.vacant));
	l->value.map = calloc(prog->n_stmt + 1, sizeof(*l->value.map));
	l->planned.number = calloc(prog->n_array + 1,
		sizeof(*l->planned.number));
	l->fact.along = calloc(prog->n_array + 1, sizeof(*l->fact.along));
	l->reuse = nvptx_reuse_alloc(prog);
	ok = l->value.base && l->value.is_part && l->value.barrier && l->value.vacant && l->value.map &&
		l->planned.number && l->reuse &&
		l->fact.along && l->fact.known && lower_program(l, like);
	free(l->value.base);
	free(l->value.is_part);
	l->value.is_part = NULL;
	free(l->value.barrier);
	free(l->value.vacant);
	free(l->value.map);
	free(l->planned.number);
	l->reuse = nvptx_reuse_free(l->reuse);
	free(l->planned.before);
	l->planned.before = NULL;
	free(l->fact.along);
	l->fact.along = NULL;
	l->value.base = l->value.barrier = l->value.vacant = l->value.map = NULL;
	l->planned.number = NULL;
	return ok;
}

/* Add the version "v", one of "n" in "list", to the module. */
static bool lower_version(struct nvptx_lower *l,
	const struct poly_version *list, const struct poly_version *v, int n)
{
	int n_step = l->ir->m->plan.n_step;
	bool ok = true;

	l->version.division = v->division;
	l->version.rest = v->main ? &v->cost : NULL;
	l->version.is_one_of = n > 1;
	l->planned.aligned = false;
	if (v->main)
		ok = add_program(l, list[v->main].prog, v->main);
	l->fact.known = isl_set_free(l->fact.known);
	ok = ok && add_program(l, v->prog, v->like);
	if (ok && n > 1 && nvptx_plan_version(l, v,
		l->ir->m->plan.n_step - n_step) < 0) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "a version has no formula");
		ok = false;
	}
	l->fact.known = isl_set_free(l->fact.known);
	return ok;
}

/* The first compute capability that converts numbers of "t". */
static int conversions_of(enum poly_type t)
{
	enum { FLOAT8_CC = 89, TF32_CC = 80 };

	return t == POLY_TF32 ? TF32_CC : poly_type_is_float(t) &&
		poly_type_size(t) == 1 ? FLOAT8_CC : 0;
}

/* Does the target of "o" have conversions for the types of all arrays of "prog"? */
static bool has_types(const struct poly_prog *prog, const struct nvptx_options *o,
	struct poly_report *report)
{
	if (o->device != NVPTX_GPU || o->ring || !o->target)
		return true;
	for (int i = 0; i < prog->n_array; i++) {
		const struct poly_array *a = prog->array[i];
		int cc = conversions_of(a->type);

		if (o->target->cc >= cc)
			continue;
		poly_report_add(report, MSG_NVPTX_FLOAT8, &a->loc, a->name,
			poly_type_name(a->type), o->target->name, cc);
		return false;
	}
	return true;
}

/* Lower the versions for the device of "o". The module does not refer to them.
 * requires kernels, and tiles where they are tiled
 */
struct nvptx_module *nvptx_lower_versions(const struct poly_version *version,
	int n, const struct nvptx_options *o, struct poly_report *report)
{
	struct nvptx_ir ir = { .report = report };
	struct nvptx_lower l = { .ir = &ir, .prog = version[0].prog };
	bool ok = true;

	if (!has_types(l.prog, o, report))
		return NULL;
	ir.m = nvptx_module_alloc(l.prog->name, o, report);
	if (!ir.m)
		return NULL;
	ir.m->opt.approximate = l.prog->fp == POLY_FP_RELAXED;
	ir.b = LLVMCreateBuilderInContext(ir.m->ctx);
	nvptx_debug_begin(&ir, l.prog->file);
	for (; l.version.number < n && ok; l.version.number++)
		ok = lower_version(&l, version, &version[l.version.number], n);
	if (ok) {
		nvptx_within(&l);
		ok = !ir.failed;
	}
	nvptx_debug_end(&ir);
	ok = ok && verify(&ir);
	LLVMDisposeBuilder(ir.b);
	free(l.name.var);
	free(ir.seen);
	return ok ? ir.m : nvptx_module_free(ir.m);
}

struct nvptx_module *nvptx_lower(struct poly_prog *prog,
	const struct nvptx_options *o, struct poly_report *report)
{
	struct poly_version one = { .prog = prog };

	return nvptx_lower_versions(&one, 1, o, report);
}

/* nvptx: a scheduled program as an LLVM module, one function a kernel.
 *
 *	GPU:  define ptx_kernel void @k(ptr addrspace(1) %A, .., i64 %M.arg, ..)
 *	host: define void @k(ptr %t, ptr %args), args[i] points to the value
 *
 * Arguments are the global arrays that the kernel accesses, then the sizes
 * that are not fixed, both in program order, then the iterators of the loops
 * around the launch, and where its blocks are counted if they wait for one
 * another. Sizes are cut to 32 bits once; the caller guarantees that they are
 * below 2^31, and tiles are powers of two, so that no point of a tile is beyond 32
 * bits either.
 *
 * The block with the tile coordinates (b0, b1) is found as nvptx_launch says:
 * b0 = ctaid.z * 65535 + ctaid.y, b1 = ctaid.x. Blocks behind the last tile
 * leave at once, all their threads together, before any barrier.
 *
 * Modes of the host device:
 *	checked	every access asks the runtime (lower_mem.c)
 *	wide	reference mode, naive kernels only: every element of memory is
 *		{f64 value, f64 bound of its error} (lower_wide.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <llvm-c/Analysis.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"

/* A multiprocessor's registers, and what a thread needs beside its register
 * tile to run without spills; more if copies pass through registers, or if
 * their addresses do since sizes are not fixed, and for each thing more that a
 * contraction reads than two. Left alone, ptxas may aim at more blocks than
 * these registers allow.
 */
enum { REGISTERS = 65536, THREAD_REGISTERS = 96, COPY_REGISTERS = 40,
	READ_REGISTERS = 24 };

#define SHARED_ALIGN 128
#define SWIZZLED_ALIGN 1024

void nvptx_bind(struct nvptx_lower *l, const char *name, LLVMValueRef value)
{
	struct nvptx_var *var = l->var;

	if (l->n_var == l->cap_var) {
		int cap = l->cap_var ? 2 * l->cap_var : 32;

		var = realloc(l->var, cap * sizeof(*var));
		if (!var) {
			nvptx_fail(l, nvptx_i32(l), "out of memory");
			return;
		}
		l->var = var;
		l->cap_var = cap;
	}
	var[l->n_var].name = strdup(name);
	var[l->n_var++].value = value;
}

void nvptx_unbind(struct nvptx_lower *l, int n_var)
{
	while (l->n_var > n_var)
		free(l->var[--l->n_var].name);
}

/* The innermost variable of that name, or -1. */
static int find_var(const struct nvptx_lower *l, const char *name)
{
	int i = l->n_var - 1;

	while (i >= 0 && !(name && l->var[i].name &&
	       !strcmp(l->var[i].name, name)))
		i--;
	return i;
}

bool nvptx_has_var(const struct nvptx_lower *l, const char *name)
{
	return find_var(l, name) >= 0;
}

LLVMValueRef nvptx_find_var(struct nvptx_lower *l, const char *name)
{
	int i = find_var(l, name);

	return i >= 0 ? l->var[i].value : nvptx_fail(l, nvptx_i32(l),
		"a name of the AST has no value");
}

/* What one kernel does with each array of the program. */
struct usage {
	struct poly_prog *prog;
	bool *read, *written;
	const struct poly_loc *loc;	/* of the first statement */
	int n_read;			/* the most that a contraction has */
	bool repeats;			/* loops over tiles of products stand
					 * in another */
	bool lanes, down;		/* go across some statement */
	bool bulk;			/* rows of arrays are copied so */
	const struct poly_kernel *kernel;
	int64_t across_bytes;
};

static void note_read(struct poly_expr *leaf, void *user)
{
	struct usage *u = user;

	u->read[nvptx_array_number(u->prog, leaf->array)] = true;
}

static void note_point(struct usage *u, const struct poly_stmt *s)
{
	int k = nvptx_array_number(u->prog, s->write_array);

	u->written[k] = true;
	u->read[k] |= s->reduce != POLY_OP_NONE && !s->fold;
	poly_expr_each_access(s->rhs, &note_read, u);
	poly_expr_each_gather(s->rhs, &note_read, u);
}

/* The reads of a contraction, one after another. */
struct operands {
	struct usage *u;
	const struct poly_stmt *op;
	int n;
};

/* A contraction reads its buffers, where it has some, instead of what its
 * member names.
 */
static void note_operand(struct poly_expr *leaf, void *user)
{
	struct operands *o = user;
	const struct poly_array *a = leaf->array;

	if (o->n < POLY_MAX_OPERAND && o->op->operand[o->n])
		a = o->op->operand[o->n];
	o->u->read[nvptx_array_number(o->u->prog, a)] = true;
	o->n++;
}

static void note_contract(struct usage *u, const struct poly_stmt *s)
{
	struct operands o = { u, s, 0 };

	poly_expr_each_access(s->member[0]->rhs, &note_operand, &o);
	if (o.n > u->n_read)
		u->n_read = o.n;
	u->repeats |= isl_set_dim(s->domain, isl_dim_set) >
		3 + u->kernel->n_batch;
}

static void note_stmt(struct poly_stmt *s, void *user)
{
	struct usage *u = user;

	if (!u->loc && s->loc.line > 0)
		u->loc = &s->loc;
	u->lanes |= s->across > 0;
	u->down |= s->down;
	u->bulk |= s->bulk;
	u->across_bytes += nvptx_across_bytes(u->kernel, s) +
		nvptx_reduce_bytes(u->kernel, s);
	if (s->kind == POLY_POINT)
		note_point(u, s);
	for (int i = 0; i < s->n_member; i++) {
		const struct poly_stmt *m = s->member[i];

		u->across_bytes += nvptx_fold_bytes(u->prog, u->kernel, m);
		if (!u->loc && m->loc.line > 0)
			u->loc = &m->loc;
		if (s->kind != POLY_CONTRACT)
			note_point(u, m);
		else
			u->written[nvptx_array_number(u->prog,
				m->write_array)] = true;
	}
	if (s->kind == POLY_CONTRACT)
		note_contract(u, s);
}

static bool is_used(const struct usage *u, int i)
{
	return u->read[i] || u->written[i];
}

static bool is_argument(const struct usage *u, int i)
{
	return is_used(u, i) && u->prog->array[i]->space == POLY_GLOBAL;
}

static isl_stat usage_init(struct usage *u, struct nvptx_lower *l,
	__isl_keep isl_ast_node *ast)
{
	memset(u, 0, sizeof(*u));
	u->prog = l->prog;
	u->kernel = l->kernel;
	u->read = calloc(l->prog->n_array + 1, sizeof(*u->read));
	u->written = calloc(l->prog->n_array + 1, sizeof(*u->written));
	if (!u->read || !u->written)
		return isl_stat_error;
	return nvptx_ast_stmts(l->prog, ast, &note_stmt, u);
}

static void usage_clear(struct usage *u)
{
	free(u->read);
	free(u->written);
}

static void enum_attribute(struct nvptx_lower *l, int at, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(l->fn, at,
		LLVMCreateEnumAttribute(l->m->ctx, kind, 0));
}

/* Append an argument to the launch. */
static void add_arg(struct nvptx_launch *launch, enum nvptx_arg_kind kind,
	int index)
{
	launch->arg[launch->n_arg].kind = kind;
	launch->arg[launch->n_arg++].index = index;
}

/* Registers that the register arrays of a thread take. */
static int register_words(const struct nvptx_lower *l, const struct usage *u)
{
	const struct poly_kernel *k = l->kernel;
	int n = k->tile[0] / k->thread[0] * (k->tile[1] / k->thread[1]);
	int words = 0;

	for (int i = 0; i < l->prog->n_array; i++)
		if (is_used(u, i) && l->prog->array[i]->space == POLY_REGISTER)
			words += n * ((poly_type_size(l->prog->array[i]->type) +
				3) / 4);
	return words;
}

/* Ask for as many blocks a multiprocessor as its registers allow. */
static void min_blocks(struct nvptx_lower *l, const struct usage *u)
{
	int more = u->n_read > 2 ? u->n_read - 2 : 0;
	int threads = l->kernel->thread[0] * l->kernel->thread[1];
	bool lean = l->kernel->stages > 1 && poly_prog_is_fixed(l->prog);
	struct poly_str text = { 0 };
	int need, n;

	need = THREAD_REGISTERS + register_words(l, u) +
		(lean ? 0 : COPY_REGISTERS) + more * READ_REGISTERS;
	n = REGISTERS / (threads * need);
	poly_str_printf(&text, "%d", n > 1 ? n : 1);
	LLVMAddTargetDependentFunctionAttr(l->fn, "nvvm.minctasm",
		text.s ? text.s : "1");
	poly_str_free(&text);
}

/* The plan's launch of the kernel, with its arguments. */
static struct nvptx_launch *plan_launch(struct nvptx_lower *l,
	const struct usage *u)
{
	struct poly_prog *prog = l->prog;
	struct nvptx_plan *plan = &l->m->plan;
	struct nvptx_launch *launch = &plan->launch[plan->n_launch++];
	int n_host = poly_kernel_n_host(prog, l->kernel);
	int n_size = prog->n_param - prog->n_hidden;

	launch->kernel = nvptx_version_name(l, l->kernel->name);
	launch->arg = calloc(prog->n_array + prog->n_param + POLY_MAX_HOST + 1,
		sizeof(*launch->arg));
	if (!launch->kernel || !launch->arg) {
		nvptx_fail(l, nvptx_i32(l), "out of memory");
		return NULL;
	}
	for (int d = 0; d < 2; d++)
		launch->thread[d] = l->kernel->thread[d];
	for (int d = 0; d < 2; d++)
		launch->cluster[d] = poly_cluster(l->kernel, d);
	nvptx_plan_grid(l, l->kernel, launch);
	if (l->failed)
		return NULL;
	for (int i = 0; i < prog->n_array; i++) {
		if (is_argument(u, i))
			add_arg(launch, NVPTX_ARG_ARRAY, l->number[i]);
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
		add_arg(launch, NVPTX_ARG_COUNT, nvptx_plan_count(l,
			launch->kernel));
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
		shifted = nvptx_fixed_extent(l, a, i) >= 0;
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
	LLVMAddAttributeAtIndex(l->fn, at,
		LLVMCreateEnumAttribute(l->m->ctx, kind, align));
	p = &l->m->plan.array[l->number[i]];
	p->align = align > p->align ? align : p->align;
	l->aligned = true;
}

/* Do threads of "k" access elements that lie side by side? */
static bool has_runs(const struct poly_kernel *k)
{
	return k->vec[0] > 1 || k->vec[1] > 1 || (!k->tiled && k->vec_k > 1);
}

static bool has_clusters(const struct nvptx_launch *launch)
{
	return launch->cluster[0] * launch->cluster[1] > 1;
}

static void gpu_function(struct nvptx_lower *l, const struct usage *u,
	const struct nvptx_launch *launch)
{
	int n_arg = launch->n_arg;
	LLVMTypeRef *type = calloc(n_arg + 1, sizeof(*type));
	LLVMTypeRef fn_type;
	struct poly_str block = { 0 };
	int n = 0;

	if (!type)
		return;
	for (int i = 0; i < l->prog->n_array; i++)
		if (is_argument(u, i))
			type[n++] = LLVMPointerTypeInContext(l->m->ctx, 1);
	while (n < n_arg)
		type[n++] = nvptx_i64(l);
	if (l->kernel->together)
		type[n_arg - 1] = LLVMPointerTypeInContext(l->m->ctx, 1);
	fn_type = LLVMFunctionType(LLVMVoidTypeInContext(l->m->ctx), type,
		n_arg, 0);
	free(type);
	l->fn = LLVMAddFunction(l->m->module, launch->kernel, fn_type);
	LLVMSetFunctionCallConv(l->fn, LLVMPTXKernelCallConv);
	poly_str_printf(&block, "%d,%d,1", l->kernel->thread[1],
		l->kernel->thread[0]);
	LLVMAddTargetDependentFunctionAttr(l->fn, "nvvm.reqntid", block.s);
	poly_str_free(&block);
	if (has_clusters(launch)) {
		poly_str_printf(&block, "%d,%d,1", launch->cluster[1],
			launch->cluster[0]);
		LLVMAddTargetDependentFunctionAttr(l->fn, "nvvm.cluster_dim",
			block.s);
		poly_str_free(&block);
	}
	if (l->kernel->tile_k || (has_runs(l->kernel) && !l->kernel->tiled &&
	    !u->lanes))
		min_blocks(l, u);
	else if (l->kernel->block)
		LLVMAddTargetDependentFunctionAttr(l->fn, "nvvm.minctasm",
			"1");
	n = 1;
	for (int i = 0; i < l->prog->n_array; i++) {
		if (!is_argument(u, i))
			continue;
		if (!l->kernel->block || !u->written[i])
			enum_attribute(l, n, "noalias");
		if (!u->written[i])
			enum_attribute(l, n, "readonly");
		if (has_runs(l->kernel) || u->bulk)
			align_argument(l, n, i);
		n++;
	}
}

static void host_function(struct nvptx_lower *l,
	const struct nvptx_launch *launch)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(l->m->ctx, 0);
	LLVMTypeRef type[2] = { ptr, ptr };
	LLVMTypeRef fn_type = LLVMFunctionType(
		LLVMVoidTypeInContext(l->m->ctx), type, 2, 0);

	l->fn = LLVMAddFunction(l->m->module, launch->kernel, fn_type);
	l->thread = LLVMGetParam(l->fn, 0);
	LLVMSetValueName2(l->thread, "t", 1);
	LLVMSetValueName2(LLVMGetParam(l->fn, 1), "args", 4);
	enum_attribute(l, 1, "noalias");
	enum_attribute(l, 2, "noalias");
	enum_attribute(l, 2, "readonly");
	enum_attribute(l, LLVMAttributeFunctionIndex, "nounwind");
}

/* The k-th argument, as a value of "type" called "name". */
static LLVMValueRef argument(struct nvptx_lower *l, int k, LLVMTypeRef type,
	const char *name)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(l->m->ctx, 0);
	LLVMValueRef v, at = nvptx_int(l, k);

	if (l->m->opt.device == NVPTX_GPU) {
		v = LLVMGetParam(l->fn, k);
		LLVMSetValueName2(v, name, strlen(name));
		return v;
	}
	v = LLVMBuildInBoundsGEP2(l->b, ptr, LLVMGetParam(l->fn, 1), &at, 1,
		"");
	v = LLVMBuildLoad2(l->b, ptr, v, "");
	return LLVMBuildLoad2(l->b, type, v, name);
}

/* What the size, block, thread or iterator "name" can be. */
static struct nvptx_range place_range(struct nvptx_lower *l, const char *name)
{
	struct nvptx_range r = { INT32_MIN, INT32_MAX };
	int pos = isl_set_find_dim_by_name(l->places, isl_dim_param, name);
	struct nvptx_range on;
	isl_aff *aff;

	if (pos < 0)
		return r;
	aff = isl_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(l->places)), isl_dim_param, pos);
	on = nvptx_range_on(l->places, aff);
	isl_aff_free(aff);
	if (on.lo > on.hi)
		return r;
	if (on.lo != INT64_MIN && on.hi != INT64_MAX)
		return on;
	return poly_is_launch(l->prog, name) ? on : r;
}

/* Bind "name", and say of what is not tiled what it can be. */
static void bind_place(struct nvptx_lower *l, const char *name, LLVMValueRef v)
{
	nvptx_bind(l, name, v);
	if (!l->kernel->tiled && !LLVMIsAConstantInt(v))
		nvptx_range_set(l, v, place_range(l, name));
}

/* "v", the size "name", as LLVM sees that it is a multiple of what it always is: so
 * it knows how rows are aligned, of whatever number.
 */
static LLVMValueRef as_multiple(struct nvptx_lower *l, const char *name,
	LLVMValueRef v)
{
	int pos = isl_set_find_dim_by_name(l->known, isl_dim_param, name);
	int n = pos < 0 ? 1 : POLY_RUN_BYTES;

	for (; n > 1; n /= 2) {
		isl_pw_aff *rest = isl_pw_aff_mod_val(isl_pw_aff_from_aff(
			isl_aff_var_on_domain(isl_local_space_from_space(
			isl_set_get_space(l->known)), isl_dim_param, pos)),
			isl_val_int_from_si(l->prog->ctx, n));
		isl_set *whole = isl_set_params(isl_pw_aff_zero_set(rest));
		bool is = isl_set_is_subset(l->known, whole) == isl_bool_true;

		isl_set_free(whole);
		if (is)
			break;
	}
	return n > 1 ? LLVMBuildAnd(l->b, v, nvptx_int(l, -n), name) : v;
}

/* Bind the size "p": a constant, or the k-th argument cut to 32 bits. */
static void bind_param(struct nvptx_lower *l, const struct poly_param *p,
	int k)
{
	struct poly_str name = { 0 };
	LLVMValueRef v;

	if (p->fixed) {
		nvptx_bind(l, p->name, nvptx_int(l, p->value));
		return;
	}
	poly_str_printf(&name, "%s.arg", p->name);
	v = argument(l, k, nvptx_i64(l), name.s ? name.s : "");
	v = LLVMBuildTrunc(l->b, v, nvptx_i32(l), p->name);
	bind_place(l, p->name, as_multiple(l, p->name, v));
	poly_str_free(&name);
}

/* Bind the launch's iterator "i", the k-th argument. */
static void bind_iterator(struct nvptx_lower *l, int i, int k)
{
	const char *name = poly_coordinate(l->prog, POLY_LAUNCH + i);
	LLVMValueRef v;

	v = argument(l, k, nvptx_i64(l), "");
	if (nvptx_range_type(l, place_range(l, name)) == nvptx_i32(l))
		v = LLVMBuildTrunc(l->b, v, nvptx_i32(l), name);
	bind_place(l, name, v);
}

static void bind_arguments(struct nvptx_lower *l, const struct usage *u)
{
	struct poly_prog *prog = l->prog;
	LLVMTypeRef ptr = LLVMPointerTypeInContext(l->m->ctx, 0);
	int k = 0;

	for (int i = 0; i < prog->n_array; i++)
		if (is_argument(u, i))
			l->base[i] = argument(l, k++, ptr,
				prog->array[i]->name);
	for (int i = 0; i < prog->n_param; i++) {
		bind_param(l, &prog->param[i], k);
		k += !prog->param[i].fixed;
	}
	for (int i = 0; i < poly_kernel_n_host(prog, l->kernel); i++)
		bind_iterator(l, i, k++);
	l->count = l->kernel->together ? argument(l, k, ptr, "arrived") : NULL;
}

/* Lay the kernel's shared arrays out one behind the other. Returns their
 * size in bytes.
 */
static int64_t bind_shared(struct nvptx_lower *l, const struct usage *u)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(l->m->ctx);
	LLVMValueRef start = NULL, offset;
	int64_t at = 0, align;

	for (int i = 0; i < l->prog->n_array; i++) {
		const struct poly_array *a = l->prog->array[i];

		if (!is_used(u, i) || a->space != POLY_SHARED)
			continue;
		if (!start)
			start = nvptx_hw(l, NVPTX_HW_SHARED, NULL, 0, "shared");
		align = a->swizzled ? SWIZZLED_ALIGN : SHARED_ALIGN;
		at = (at + align - 1) / align * align;
		offset = nvptx_int(l, at);
		l->base[i] = LLVMBuildInBoundsGEP2(l->b, byte, start, &offset,
			1, a->name);
		at += nvptx_shared_size(a);
		at = (at + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
	}
	return at;
}

/* Note which arrays all threads of a line hold, in "l->along". */
static void note_lines(struct nvptx_lower *l)
{
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(l->prog, domain, &n);

	l->has_lines = false;
	l->n_summed = 0;
	for (int i = 0; i < n; i++)
		l->has_lines |= op[i]->kind == POLY_REDUCE;
	for (int i = 0; op && i < l->prog->n_array; i++)
		l->along[i] = poly_lines_of(op, n, l->prog->array[i]);
	isl_union_set_free(domain);
	free(op);
}

static void bind_registers(struct nvptx_lower *l, const struct usage *u)
{
	note_lines(l);
	for (int i = 0; i < l->prog->n_array; i++)
		if (is_used(u, i) && l->prog->array[i]->space == POLY_REGISTER)
			l->base[i] = nvptx_registers(l, l->prog->array[i]);
}

/* True if the grid has at most GRID_Y tiles in dimension 0, the batch among
 * them, for all sizes, and these are fixed.
 */
static bool is_short_grid(struct nvptx_lower *l)
{
	double all = 1;

	for (int i = 0; i <= l->kernel->n_batch; i++) {
		isl_pw_aff *n = isl_pw_aff_intersect_params(isl_pw_aff_copy(
			i ? l->kernel->batch[i - 1] : l->kernel->grid[0]),
			isl_set_copy(l->known));
		isl_val *max = isl_pw_aff_max_val(n);

		all *= isl_val_is_int(max) == isl_bool_true ?
			(double) isl_val_get_num_si(max) : POLY_GRID_Y + 1.;
		isl_val_free(max);
	}
	return all <= POLY_GRID_Y;
}

/* Blocks behind the last of "n" leave. */
static void guard_block(struct nvptx_lower *l, LLVMValueRef b0, LLVMValueRef n)
{
	LLVMBasicBlockRef body = nvptx_block(l, "tile");
	LLVMBasicBlockRef leave = nvptx_block(l, "leave");

	LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntSLT, b0, n, ""),
		body, leave);
	LLVMPositionBuilderAtEnd(l->b, leave);
	LLVMBuildRetVoid(l->b);
	LLVMPositionBuilderAtEnd(l->b, body);
}

/* A size of the grid, which has as many bits as the numbers of blocks. */
static LLVMValueRef grid_size(struct nvptx_lower *l, __isl_keep isl_pw_aff *n)
{
	return nvptx_extend(l, nvptx_pw_aff(l, isl_pw_aff_copy(n), NULL),
		nvptx_i32(l));
}

/* Take the batch digits b2, .. from "row", of which the tile's b0 is left: row
 * = b0 + n0 (b2 + n2 (b3 + ..)).
 */
static LLVMValueRef bind_batch(struct nvptx_lower *l, LLVMValueRef row,
	LLVMValueRef n0)
{
	LLVMValueRef rest = row, n = n0, b0 = NULL;

	for (int i = 0; i < l->kernel->n_batch; i++) {
		LLVMValueRef digit = nvptx_mod(l, rest, n);

		if (i) {
			nvptx_bind(l, poly_coordinate(l->prog,
				POLY_BLOCK + i + 1), digit);
		} else {
			b0 = digit;
		}
		rest = nvptx_div(l, rest, n);
		n = grid_size(l, l->kernel->batch[i]);
	}
	nvptx_bind(l, poly_coordinate(l->prog,
		POLY_BLOCK + l->kernel->n_batch + 1), rest);
	return b0;
}

/* Bind the row of the grid that the block is in: b0 and the batch. */
static void bind_row(struct nvptx_lower *l)
{
	const struct poly_kernel *k = l->kernel;
	bool is_short = is_short_grid(l);
	LLVMValueRef row, z, n0 = NULL, n;

	row = nvptx_hw(l, NVPTX_HW_CTAID_Y, NULL, 0, is_short ? "b0" : "");
	if (!is_short) {
		z = nvptx_hw(l, NVPTX_HW_CTAID_Z, NULL, 0, "");
		z = nvptx_mul(l, z, nvptx_int(l, POLY_GRID_Y));
		row = nvptx_add(l, z, row, "b0");
	}
	if (!is_short || k->n_batch)
		n0 = grid_size(l, k->grid[0]);
	n = n0;
	for (int i = 0; i < k->n_batch && !is_short; i++)
		n = nvptx_mul(l, n, grid_size(l, k->batch[i]));
	if (!is_short)
		guard_block(l, row, n);
	bind_place(l, poly_coordinate(l->prog, POLY_BLOCK),
		k->n_batch ? bind_batch(l, row, n0) : row);
}

static void bind_places(struct nvptx_lower *l)
{
	l->tid[0] = nvptx_hw(l, NVPTX_HW_TID_Y, NULL, 0, "t0");
	l->tid[1] = nvptx_hw(l, NVPTX_HW_TID_X, NULL, 0, "t1");
	bind_place(l, poly_coordinate(l->prog, POLY_BLOCK + 1),
		nvptx_hw(l, NVPTX_HW_CTAID_X, NULL, 0, "b1"));
	bind_place(l, poly_coordinate(l->prog, POLY_THREAD), l->tid[0]);
	bind_place(l, poly_coordinate(l->prog, POLY_THREAD + 1), l->tid[1]);
	bind_row(l);
}

/* Whether the target can run a block like this. */
static void check_limits(struct nvptx_lower *l, int64_t shared)
{
	const struct nvptx_target *t = l->m->opt.target;
	int n = l->kernel->thread[0] * l->kernel->thread[1];

	if (l->m->opt.device != NVPTX_GPU)
		return;
	if (shared > t->shared_block) {
		poly_report_add(l->report, MSG_NVPTX_SHARED, NULL,
			l->kernel->name, (long long) shared, t->name,
			t->shared_block);
		l->failed = true;
	}
	if (n > t->threads_block) {
		poly_report_add(l->report, MSG_NVPTX_THREADS, NULL,
			l->kernel->name, n, t->name, t->threads_block);
		l->failed = true;
	}
}

static void lower_body(struct nvptx_lower *l, const struct usage *u,
	struct nvptx_launch *launch, __isl_keep isl_ast_node *ast)
{
	int64_t shared;

	if (l->m->opt.device == NVPTX_GPU)
		gpu_function(l, u, launch);
	else
		host_function(l, launch);
	LLVMPositionBuilderAtEnd(l->b, nvptx_block(l, "entry"));
	nvptx_debug_kernel(l, u->loc);
	bind_arguments(l, u);
	l->shared_at = nvptx_places_bytes(nvptx_bind_barriers(l,
		bind_shared(l, u)));
	shared = l->shared_at + u->across_bytes;
	bind_registers(l, u);
	bind_places(l);
	nvptx_init_barriers(l);
	l->own = NULL;
	nvptx_keep_starts(l);
	if (u->down)
		nvptx_across_columns(l);
	launch->shared_bytes = (int) shared;
	check_limits(l, shared);
	nvptx_ast(l, ast);
	if (has_clusters(launch))
		nvptx_cluster_sync(l);
	LLVMBuildRetVoid(l->b);
	l->stmt = NULL;
	l->instance = NULL;
}

static void lower_kernel(struct nvptx_lower *l,
	const struct poly_kernel *kernel)
{
	isl_ast_node *ast = poly_ast_kernel(l->prog, kernel);
	struct nvptx_launch *launch;
	struct usage u;

	l->kernel = kernel;
	if (!kernel->tiled && !kernel->block && !l->m->opt.checked &&
	    !l->m->opt.wide &&
	    poly_untouched(l->prog, kernel, &l->untouched, &l->n_untouched) < 0)
		nvptx_fail(l, nvptx_i32(l), "the reads are not known");
	memset(l->digit, 0, sizeof(l->digit));
	l->places = poly_kernel_places(l->prog, kernel);
	memset(l->base, 0, l->prog->n_array * sizeof(*l->base));
	if (usage_init(&u, l, ast) < 0)
		nvptx_fail(l, nvptx_i32(l), "the AST cannot be walked");
	l->lanes = u.lanes;
	l->places_apart = u.repeats && !poly_prog_is_fixed(l->prog);
	launch = l->failed ? NULL : plan_launch(l, &u);
	if (l->m->opt.wide && kernel->tiled)
		nvptx_fail(l, nvptx_i32(l),
			"reference mode needs naive kernels");
	if (launch && !l->failed)
		lower_body(l, &u, launch, ast);
	if (launch && !l->failed && l->version)
		nvptx_share(l, launch);
	usage_clear(&u);
	isl_ast_node_free(ast);
	nvptx_unbind(l, 0);
	nvptx_range_clear(l);
	l->places = isl_set_free(l->places);
	l->n_seen = 0;
	free(l->untouched);
	l->untouched = NULL;
	l->n_untouched = 0;
}

/* LLVM's own verifier; returns false after a report. */
static bool verify(struct nvptx_lower *l)
{
	char *text = NULL;
	bool bad = LLVMVerifyModule(l->m->module, LLVMReturnStatusAction,
		&text);

	if (bad)
		poly_report_add(l->report, MSG_NVPTX_VERIFY, NULL,
			text ? text : "");
	LLVMDisposeMessage(text);
	return !bad;
}

/* Lower the program, or plan it with the kernels of version "like". */
static bool lower_program(struct nvptx_lower *l, int like)
{
	struct poly_str tree = { 0 };

	if (nvptx_plan_init(l) < 0 || nvptx_plan_steps(l) < 0)
		nvptx_fail(l, nvptx_i32(l), "the plan cannot be made");
	if (l->failed)
		return false;
	if (like) {
		nvptx_plan_again(l, like);
		return !l->failed;
	}
	if (l->m->opt.comment) {
		poly_str_add(&tree, l->m->tree ? l->m->tree : "");
		poly_print_tree(l->prog, &tree, "; ");
	}
	if (tree.failed)
		nvptx_fail(l, nvptx_i32(l), "no memory for its tree");
	free(l->m->tree);
	l->m->tree = tree.s;
	for (int i = 0; i < l->prog->n_kernel && !l->failed; i++)
		lower_kernel(l, l->prog->kernel[i]);
	return !l->failed;
}

/* Add "prog", a program of the version at hand, to the module; with "like", its
 * kernels are there already.
 */
static bool add_program(struct nvptx_lower *l, struct poly_prog *prog, int like)
{
	bool ok;

	l->prog = prog;
	l->known = poly_known_sizes(prog);
	l->base = calloc(prog->n_array + 1, sizeof(*l->base));
	l->barrier = calloc(prog->n_array + 1, sizeof(*l->barrier));
	l->number = calloc(prog->n_array + 1, sizeof(*l->number));
	l->along = calloc(prog->n_array + 1, sizeof(*l->along));
	ok = l->base && l->barrier && l->number && l->along && l->known && lower_program(l, like);
	free(l->base);
	free(l->barrier);
	free(l->number);
	free(l->along);
	l->along = NULL;
	l->base = l->barrier = NULL;
	l->number = NULL;
	return ok;
}

/* Add the version "v", one of "n" in "list", to the module. */
static bool lower_version(struct nvptx_lower *l,
	const struct poly_version *list, const struct poly_version *v, int n)
{
	int n_step = l->m->plan.n_step;
	bool ok = true;

	l->division = v->division;
	l->rest = v->main ? &v->cost : NULL;
	l->is_one_of = n > 1;
	l->aligned = false;
	if (v->main)
		ok = add_program(l, list[v->main].prog, v->main);
	l->known = isl_set_free(l->known);
	ok = ok && add_program(l, v->prog, v->like);
	if (ok && n > 1 && nvptx_plan_version(l, v,
		l->m->plan.n_step - n_step) < 0) {
		nvptx_fail(l, nvptx_i32(l), "a version has no formula");
		ok = false;
	}
	l->known = isl_set_free(l->known);
	return ok;
}

/* Lower the versions for the device of "o". The module does not refer to them.
 * requires kernels, and tiles where they are tiled
 */
struct nvptx_module *nvptx_lower_versions(const struct poly_version *version,
	int n, const struct nvptx_options *o, struct poly_report *report)
{
	struct nvptx_lower l = { .prog = version[0].prog, .report = report };
	struct nvptx_module *m;
	bool ok = true;

	m = l.m = nvptx_module_alloc(l.prog->name, o, report);
	if (!m)
		return NULL;
	l.b = LLVMCreateBuilderInContext(m->ctx);
	nvptx_debug_begin(&l);
	for (; l.version < n && ok; l.version++)
		ok = lower_version(&l, version, &version[l.version], n);
	nvptx_debug_end(&l);
	ok = ok && verify(&l);
	LLVMDisposeBuilder(l.b);
	free(l.var);
	free(l.seen);
	return ok ? m : nvptx_module_free(m);
}

struct nvptx_module *nvptx_lower(struct poly_prog *prog,
	const struct nvptx_options *o, struct poly_report *report)
{
	struct poly_version one = { .prog = prog };

	return nvptx_lower_versions(&one, 1, o, report);
}

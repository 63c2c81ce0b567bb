/* nvptx: an object that programs link: constants, host kernels, entry points.
 *
 * A module for the host device, with its kernels, becomes
 *
 *	.rodata		the container, as it was given
 *	.data.rel.ro	the addresses of the kernels, in the order of the plan
 *	.comment	the note, which no program loads
 *	.data		struct cetane_program (runtime/program.h)
 *	.text		the kernels, local, and the functions
 *		NAME_load()		NAME_unload()
 *		NAME_program()		NAME_workspace_size(sizes)
 *		NAME(stream, sizes, arrays, workspace)	NAME_checked(same)
 *
 * of which only the six functions can be seen from outside; or the one of
 * object_entry.c instead of the six; and NAME_selftest(), NAME_strided(..) and
 * NAME_strided_checked(..) if they were asked for.
 * NAME_program gives the address of the struct, the others gather their arguments in
 * two arrays and call the runtime:
 *
 *	%size = alloca [2 x i64]
 *	%array = alloca [3 x ptr]
 *	...
 *	%s = call i32 @cetane_program_launch(ptr @program, ptr %stream,
 *		ptr %size, ptr %array, ptr %workspace, i32 0)
 *	ret i32 %s
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "nvptx/optimise/optimise.h"
#include "nvptx/out/object.h"

/* ------------------------------------------------------------------ globals */

/* A constant of the object that nothing outside of it sees. */
static LLVMValueRef add_constant(struct nvptx_object *o, LLVMValueRef value,
	const char *name, unsigned align)
{
	LLVMValueRef g = LLVMAddGlobal(o->m->module, LLVMTypeOf(value), name);

	LLVMSetInitializer(g, value);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMInternalLinkage);
	LLVMSetAlignment(g, align);
	return g;
}

/* Hide what the module defines, so that two objects can be linked and no name
 * of a kernel stands in the way of an entry point.
 */
static void hide_all(struct nvptx_object *o)
{
	LLVMValueRef f;
	struct poly_str name = { 0 };
	size_t len;

	for (f = LLVMGetFirstFunction(o->m->module); f;
			f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		name.len = 0;
		poly_str_printf(&name, "kernel.%s", LLVMGetValueName2(f, &len));
		if (name.failed)
			o->failed = true;
		else
			LLVMSetValueName2(f, name.s, name.len);
		LLVMSetLinkage(f, LLVMInternalLinkage);
	}
	poly_str_free(&name);
}

/* The addresses of the kernels; they are looked up before hide_all. */
static LLVMValueRef add_kernels(struct nvptx_object *o)
{
	const struct nvptx_plan *plan = &o->m->plan;
	LLVMValueRef *f = calloc(plan->n_launch + 1, sizeof(*f)), g;

	for (int i = 0; f && i < plan->n_launch; i++) {
		f[i] = LLVMGetNamedFunction(o->m->module,
			plan->launch[i].kernel);
		if (!f[i])
			o->failed = true;
	}
	if (!f || o->failed) {
		o->failed = true;
		free(f);
		return NULL;
	}
	g = add_constant(o, LLVMConstArray2(o->ptr, f, plan->n_launch),
		"cetane.kernels", 8);
	free(f);
	return g;
}

/* The struct cetane_program. */
static void add_program(struct nvptx_object *o, LLVMValueRef kernels,
	const struct poly_str *container)
{
	LLVMValueRef bytes = LLVMConstStringInContext2(o->m->ctx,
		container->s, container->len, 1);
	LLVMValueRef field[6] = {
		LLVMConstInt(o->i32, o->face->abi, 0),
		LLVMConstInt(o->i32, o->m->plan.n_launch, 0),
		add_constant(o, bytes, "cetane.container", 16),
		LLVMConstInt(o->i64, container->len, 0),
		kernels,
		LLVMConstNull(o->ptr)
	};
	LLVMValueRef value = LLVMConstStructInContext(o->m->ctx, field, 6, 0);

	o->program = LLVMAddGlobal(o->m->module, LLVMTypeOf(value), "cetane.program");
	LLVMSetInitializer(o->program, value);
	LLVMSetLinkage(o->program, LLVMInternalLinkage);
	LLVMSetAlignment(o->program, 8);
}

/* ---------------------------------------------------------------- functions */

/* Begin the function NAME"suffix" of "n" arguments; NULL if there is such a
 * symbol already.
 */
static LLVMValueRef begin(struct nvptx_object *o, const char *suffix,
	LLVMTypeRef result, LLVMTypeRef *arg, int n)
{
	struct poly_str name = { 0 };
	LLVMValueRef f = NULL;
	const char kind[] = "nounwind";

	poly_str_printf(&name, "%s%s", o->face->name, suffix);
	if (name.failed || LLVMGetNamedFunction(o->m->module, name.s)) {
		o->failed = true;
	} else {
		f = LLVMAddFunction(o->m->module, name.s,
			LLVMFunctionType(result, arg, n, 0));
		LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(o->m->ctx,
				LLVMGetEnumAttributeKindForName(kind,
					strlen(kind)), 0));
		LLVMPositionBuilderAtEnd(o->b,
			LLVMAppendBasicBlockInContext(o->m->ctx, f, "entry"));
	}
	poly_str_free(&name);
	return f;
}

/* Return what the runtime's function "name" gives for "arg". */
static void finish(struct nvptx_object *o, const char *name, LLVMTypeRef result,
	LLVMValueRef *arg, int n)
{
	LLVMTypeRef type[7], fn_type;
	LLVMValueRef f = LLVMGetNamedFunction(o->m->module, name);

	for (int i = 0; i < n; i++)
		type[i] = LLVMTypeOf(arg[i]);
	fn_type = LLVMFunctionType(result, type, n, 0);
	if (!f)
		f = LLVMAddFunction(o->m->module, name, fn_type);
	LLVMBuildRet(o->b, LLVMBuildCall2(o->b, fn_type, f, arg, n, ""));
}

/* Store "v" as number "i" of "array", whose elements are of "type". */
static void put(struct nvptx_object *o, LLVMTypeRef type, LLVMValueRef array, int i,
	LLVMValueRef v)
{
	LLVMValueRef at = LLVMConstInt(o->i32, (unsigned long long) i, 0);

	LLVMBuildStore(o->b, v, LLVMBuildInBoundsGEP2(o->b, type, array, &at, 1,
		""));
}

/* An array on the stack of the "n" parameters of "f" from "first" on. */
static LLVMValueRef gather(struct nvptx_object *o, LLVMValueRef f, int first, int n,
	LLVMTypeRef type, const char *name)
{
	LLVMTypeRef all = LLVMArrayType2(type, n);
	LLVMValueRef array = LLVMBuildAlloca(o->b, all, name);

	for (int i = 0; i < n; i++)
		put(o, type, array, i, LLVMGetParam(f, (unsigned) (first + i)));
	return array;
}

static void add_plain(struct nvptx_object *o, const char *suffix, const char *call)
{
	if (begin(o, suffix, o->i32, NULL, 0))
		finish(o, call, o->i32, &o->program, 1);
}

static void add_address(struct nvptx_object *o)
{
	if (begin(o, "_program", o->ptr, NULL, 0))
		LLVMBuildRet(o->b, o->program);
}

/* NAME_workspace_size(sizes): the bytes that the temporaries take. */
static void add_workspace_size(struct nvptx_object *o)
{
	int n = o->face->n_size;
	LLVMTypeRef *type = calloc((size_t) n + 1, sizeof(*type));
	LLVMValueRef f, arg[2] = { o->program, NULL };

	for (int i = 0; type && i < n; i++)
		type[i] = o->i64;
	f = type ? begin(o, "_workspace_size", o->i64, type, n) : NULL;
	free(type);
	o->failed |= !f;
	if (!f)
		return;
	arg[1] = gather(o, f, 0, n, o->i64, "size");
	finish(o, "cetane_program_workspace", o->i64, arg, 2);
}

/* Return from "f", having said why, if its sizes are not what the program assumes. */
static void refuse(struct nvptx_object *o, LLVMValueRef f)
{
	int n = o->face->n_size;
	LLVMValueRef *size = calloc(n + 1, sizeof(*size)), arg[2], valid;
	LLVMBasicBlockRef bad, good;

	if (!size) {
		o->failed = true;
		return;
	}
	for (int i = 0; i < n; i++)
		size[i] = LLVMGetParam(f, 1 + i);
	valid = nvptx_object_valid(o, o->face->prog, o->face->valid, size);
	free(size);
	bad = LLVMAppendBasicBlockInContext(o->m->ctx, f, "invalid");
	good = LLVMAppendBasicBlockInContext(o->m->ctx, f, "valid");
	LLVMBuildCondBr(o->b, LLVMBuildICmp(o->b, LLVMIntNE, valid,
		LLVMConstNull(o->i32), ""), good, bad);
	LLVMPositionBuilderAtEnd(o->b, bad);
	arg[0] = LLVMBuildGlobalStringPtr(o->b, o->face->name, "cetane.text");
	arg[1] = LLVMBuildGlobalStringPtr(o->b, o->face->valid, "cetane.text");
	finish(o, "cetane_program_refuse", o->i32, arg, 2);
	LLVMPositionBuilderAtEnd(o->b, good);
}

/* NAME_selftest(), with the numbers that it compares with. */
static void add_selftest(struct nvptx_object *o)
{
	const struct nvptx_interface *face = o->face;
	LLVMValueRef *word, arg[3] = { o->program, NULL,
		LLVMConstInt(o->i64, (unsigned long long) face->n_test, 0) };

	if (!face->test)
		return;
	word = calloc((size_t) face->n_test + 1, sizeof(*word));
	for (int64_t i = 0; word && i < face->n_test; i++)
		word[i] = LLVMConstInt(o->i64,
			(unsigned long long) face->test[i], 1);
	if (!word || !begin(o, "_selftest", o->i32, NULL, 0)) {
		o->failed = true;
	} else {
		arg[1] = add_constant(o, LLVMConstArray2(o->i64, word,
			(uint64_t) face->n_test), "cetane.samples", 8);
		finish(o, "cetane_program_selftest", o->i32, arg, 3);
	}
	free(word);
}

/* The arrays on the stack of the addresses and, where arrays may have some, of the
 * strides among the parameters of "f" from "k" on: "array" and "stride" get them. An array
 * that has none gets -1. Returns the number of the parameter behind.
 */
static int gather_arrays(struct nvptx_object *o, LLVMValueRef f, int k,
	const int *n_stride, LLVMValueRef *array, LLVMValueRef *stride)
{
	int m = o->face->n_array, n = 0, at = 0;

	for (int i = 0; n_stride && i < m; i++)
		n += n_stride[i] ? n_stride[i] : 1;
	*array = LLVMBuildAlloca(o->b, LLVMArrayType2(o->ptr, (uint64_t) m),
		"array");
	if (n_stride)
		*stride = LLVMBuildAlloca(o->b, LLVMArrayType2(o->i64,
			(uint64_t) n), "stride");
	for (int i = 0; i < m; i++) {
		put(o, o->ptr, *array, i, LLVMGetParam(f, (unsigned) k++));
		for (int d = 0; n_stride && d < n_stride[i]; d++)
			put(o, o->i64, *stride, at++,
				LLVMGetParam(f, (unsigned) k++));
		if (n_stride && !n_stride[i])
			put(o, o->i64, *stride, at++,
				LLVMConstInt(o->i64, ~0ull, 1));
	}
	return k;
}

/* The types of the parameters of a function that launches, "*n" of them: the stream, the
 * sizes, the arrays with their strides, the workspace. NULL without memory.
 */
static LLVMTypeRef *launch_types(const struct nvptx_object *o, const int *n_stride,
	int *n)
{
	int k = 0, all = o->face->n_size + o->face->n_array + 2;
	LLVMTypeRef *type;

	for (int i = 0; n_stride && i < o->face->n_array; i++)
		all += n_stride[i];
	type = calloc((size_t) all, sizeof(*type));
	*n = all;
	if (!type)
		return NULL;
	type[k++] = o->ptr;
	for (int i = 0; i < o->face->n_size; i++)
		type[k++] = o->i64;
	for (int i = 0; i < o->face->n_array; i++) {
		type[k++] = o->ptr;
		for (int d = 0; n_stride && d < n_stride[i]; d++)
			type[k++] = o->i64;
	}
	type[k] = o->ptr;
	return type;
}

/* NAME(stream, sizes, arrays, workspace), or the one that checks its arguments before;
 * or both with the strides of each array behind it, "n_stride".
 */
static void add_launch(struct nvptx_object *o, const char *suffix,
	const int *n_stride, bool checked)
{
	int n, k, last = 0;
	LLVMTypeRef *type = launch_types(o, n_stride, &n);
	LLVMValueRef f, arg[7] = { o->program }, array, stride = NULL;

	f = type ? begin(o, suffix, o->i32, type, n) : NULL;
	free(type);
	o->failed |= !f;
	if (!f)
		return;
	if (checked && o->face->valid)
		refuse(o, f);
	arg[++last] = LLVMGetParam(f, 0);
	arg[++last] = gather(o, f, 1, o->face->n_size, o->i64, "size");
	k = gather_arrays(o, f, 1 + o->face->n_size, n_stride, &array, &stride);
	if (n_stride)
		arg[++last] = stride;
	arg[++last] = array;
	arg[++last] = LLVMGetParam(f, (unsigned) k);
	arg[++last] = LLVMConstInt(o->i32, checked, 0);
	finish(o, n_stride ? "cetane_program_launch_strided" :
		"cetane_program_launch", o->i32, arg, last + 1);
}

/* The functions that are seen from outside, with or without arguments. */
static void add_functions(struct nvptx_object *o)
{
	const int *n_stride = o->face->n_stride;

	add_plain(o, "_load", "cetane_program_load");
	add_plain(o, "_unload", "cetane_program_unload");
	add_address(o);
	add_workspace_size(o);
	add_launch(o, "", NULL, false);
	add_launch(o, "_checked", NULL, true);
	if (n_stride) {
		add_launch(o, "_strided", n_stride, false);
		add_launch(o, "_strided_checked", n_stride, true);
	}
}

/* ------------------------------------------------------------------- object */

/* Put the note where LLVM writes it to .comment. */
static void add_note(struct nvptx_object *o)
{
	const char *note = o->face->note;
	LLVMMetadataRef text;

	if (!note)
		return;
	text = LLVMMDStringInContext2(o->m->ctx, note, strlen(note));
	text = LLVMMDNodeInContext2(o->m->ctx, &text, 1);
	LLVMAddNamedMetadataOperand(o->m->module, "llvm.ident",
		LLVMMetadataAsValue(o->m->ctx, text));
}

/* Nothing in the object may tell where the source was: debug locations would.
 */
static void add_all(struct nvptx_object *o, const struct poly_str *container)
{
	LLVMValueRef kernels = add_kernels(o);

	LLVMStripModuleDebugInfo(o->m->module);
	LLVMSetSourceFileName(o->m->module, o->face->name,
		strlen(o->face->name));
	if (o->failed)
		return;
	add_note(o);
	hide_all(o);
	add_program(o, kernels, container);
	if (o->face->drop_in)
		nvptx_object_entry(o);
	else
		add_functions(o);
	add_selftest(o);
}

isl_stat nvptx_object(struct nvptx_module *m,
	const struct nvptx_interface *face, const struct poly_str *container,
	struct poly_str *object, struct poly_report *report)
{
	LLVMContextRef ctx = m->ctx;
	struct nvptx_object o = { .m = m, .face = face,
		.b = LLVMCreateBuilderInContext(ctx),
		.i32 = LLVMInt32TypeInContext(ctx),
		.i64 = LLVMInt64TypeInContext(ctx),
		.ptr = LLVMPointerTypeInContext(ctx, 0) };
	LLVMMemoryBufferRef code;

	add_all(&o, container);
	LLVMDisposeBuilder(o.b);
	if (o.failed) {
		poly_report_add(report, MSG_NVPTX_LLVM, NULL,
			"the object cannot be made");
		return isl_stat_error;
	}
	if (nvptx_verify(m, report) < 0)
		return isl_stat_error;
	code = nvptx_emit(m, LLVMObjectFile, report);
	if (!code)
		return isl_stat_error;
	poly_str_addn(object, LLVMGetBufferStart(code),
		LLVMGetBufferSize(code));
	LLVMDisposeMemoryBuffer(code);
	return isl_stat_ok;
}

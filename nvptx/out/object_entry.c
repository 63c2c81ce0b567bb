/* nvptx: the function of an object that stands in the place of one in C.
 *
 * It has the arguments of that function, and passes them to the runtime, which
 * runs the program on arrays of the host (runtime/program.h):
 *
 *	double f(int n, float x, double *a)
 *
 *	%size = alloca [1 x i64]	n, with its sign
 *	%array = alloca [3 x ptr]	addresses of x, a and the result
 *	%valid = ...			what the program assumes of its sizes
 *	%s = call i32 @cetane_program_call(ptr @program, ptr %size,
 *		ptr %array, i32 %valid, ptr @assumed)
 *
 * Structures by value come as the ABI of the host says. On x86-64, one of at most 16
 * bytes takes a register for each 8 of them, of integers if one is among these, else of
 * floats, if there are so many left; any other lies on the stack of the caller:
 *
 *	struct { int n; float x; double y; } p		i64 %p, double %p.1
 *	struct { double a[3]; } q			ptr byval([24 x i8]) %q
 *
 * On AArch64, one of at most four floats of one type takes a register for each, any
 * other of at most 16 bytes one of integers for each 8, all of these or none; LLVM
 * counts them. Of any other the caller passes the address of a copy:
 *
 *	struct { int n; float x; double y; } p		[2 x i64] %p
 *	struct { double a[3]; } q			[3 x double] %q
 *	struct { double a[5]; } r			ptr %r
 *
 * Such a function cannot tell that it failed. Then it calls NAME_failed, which
 * a program may define itself; the one in the object is weak, prints the reason
 * and aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/out/object.h"
#include "nvptx/plan/plan.h"

/* One function that is being made. "slot" is where the value is returned from,
 * or NULL; "size" holds the values, "array" the addresses.
 */
struct entry {
	struct nvptx_object *o;
	const struct nvptx_drop_in *face;
	LLVMValueRef f, slot, *size, *array;
	struct taken *taken;
	LLVMTypeRef *type;	/* of the arguments of "f" */
	int n_type;
};

/* An argument as "f" gets it: the first, and how many there are; "base" is where
 * its structures are.
 */
struct taken {
	int first, n;
	bool on_stack, is_address;
	LLVMValueRef base;
};

/* LLVM's type of an element; bf16 is its bits. */
static LLVMTypeRef type_of(struct nvptx_object *o, enum poly_type t)
{
	if (t == POLY_F32)
		return LLVMFloatTypeInContext(o->m->ctx);
	if (t == POLY_F64)
		return LLVMDoubleTypeInContext(o->m->ctx);
	if (t == POLY_F16)
		return LLVMHalfTypeInContext(o->m->ctx);
	return LLVMIntTypeInContext(o->m->ctx, 8 * poly_type_size(t));
}

static LLVMTypeRef bytes_type(struct nvptx_object *o, int64_t n)
{
	return LLVMArrayType2(LLVMInt8TypeInContext(o->m->ctx), (uint64_t) n);
}

static bool is_signed(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_INT;
}

/* ---------------------------------------------------------------- variables */

/* The variable "a" outside of the function. One of the file is defined here,
 * unless another object defines it.
 */
static LLVMValueRef variable(struct nvptx_object *o,
	const struct nvptx_argument *a)
{
	LLVMValueRef g = LLVMGetNamedGlobal(o->m->module, a->name);
	LLVMTypeRef type = a->bytes ? bytes_type(o, a->bytes) :
		type_of(o, a->type);
	bool own = a->pass == NVPTX_PASS_OWN && a->count > 0;

	if (g)
		return g;
	if (own)
		type = LLVMArrayType2(type, (uint64_t) a->count);
	g = LLVMAddGlobal(o->m->module, type, a->name);
	LLVMSetAlignment(g, a->bytes ? (unsigned) a->align :
		(unsigned) poly_type_size(a->type));
	if (own) {
		LLVMSetInitializer(g, LLVMConstNull(type));
		LLVMSetLinkage(g, LLVMWeakAnyLinkage);
		LLVMSetAlignment(g, 32);
	}
	return g;
}

/* A place on the stack for a value of "type", 0 at first. */
static LLVMValueRef place(struct nvptx_object *o, enum poly_type type)
{
	LLVMValueRef at = LLVMBuildAlloca(o->b, type_of(o, type), "");

	LLVMBuildStore(o->b, LLVMConstNull(type_of(o, type)), at);
	return at;
}

static LLVMValueRef widened(struct nvptx_object *o, enum poly_type t,
	LLVMValueRef v)
{
	return is_signed(t) ? LLVMBuildSExt(o->b, v, o->i64, "") :
		LLVMBuildZExt(o->b, v, o->i64, "");
}

/* The address "n" bytes behind "base". */
static LLVMValueRef behind(struct nvptx_object *o, LLVMValueRef base,
	int64_t n)
{
	LLVMValueRef at = LLVMConstInt(o->i64, (unsigned long long) n, 0);

	return LLVMBuildInBoundsGEP2(o->b, LLVMInt8TypeInContext(o->m->ctx),
		base, &at, 1, "");
}

/* Where the structures of argument "i" are. One in registers is put on the stack. */
static LLVMValueRef base_of(struct entry *e, int i)
{
	const struct nvptx_argument *a = &e->face->arg[i];
	struct taken *t = &e->taken[i];
	struct nvptx_object *o = e->o;

	if (t->base)
		return t->base;
	if (i >= e->face->n_param) {
		t->base = variable(o, a);
	} else if (a->pass == NVPTX_PASS_POINTER || t->on_stack ||
		   t->is_address) {
		t->base = LLVMGetParam(e->f, (unsigned) t->first);
	} else {
		t->base = LLVMBuildAlloca(o->b, bytes_type(o, 32), a->name);
		LLVMSetAlignment(t->base, 16);
		for (int k = 0; k < t->n; k++)
			LLVMBuildStore(o->b, LLVMGetParam(e->f,
				(unsigned) (t->first + k)),
				behind(o, t->base, 8 * k));
	}
	return t->base;
}

/* What the program gets for a member of the structures of an argument. */
static void take_member(struct entry *e, const struct nvptx_member *m)
{
	struct nvptx_object *o = e->o;
	LLVMValueRef base = base_of(e, m->arg);

	if (m->array >= 0)
		e->array[m->array] = base;
	if (m->size >= 0)
		e->size[m->size] = widened(o, m->type, LLVMBuildLoad2(o->b,
			type_of(o, m->type), behind(o, base, m->offset[0]),
			""));
}

/* What the program gets for argument "i". */
static void take(struct entry *e, int i)
{
	const struct nvptx_argument *a = &e->face->arg[i];
	struct nvptx_object *o = e->o;
	LLVMValueRef v;

	if (a->size < 0 && a->array < 0)
		return;
	v = i < e->face->n_param ? LLVMGetParam(e->f,
		(unsigned) e->taken[i].first) : variable(o, a);
	if (a->size >= 0 && i >= e->face->n_param)
		v = LLVMBuildLoad2(o->b, type_of(o, a->type), v, "");
	if (a->size >= 0) {
		e->size[a->size] = widened(o, a->type, v);
		return;
	}
	if (a->pass == NVPTX_PASS_VALUE) {
		e->array[a->array] = place(o, a->type);
		LLVMBuildStore(o->b, v, e->array[a->array]);
	} else {
		e->array[a->array] = v;
	}
}

/* -------------------------------------------------------------- the function */

static LLVMValueRef text(struct nvptx_object *o, const char *s)
{
	return LLVMBuildGlobalStringPtr(o->b, s, "cetane.text");
}

/* Call the C function "name"; a variadic one has two arguments before the
 * others.
 */
static LLVMValueRef call(struct nvptx_object *o, const char *name,
	LLVMTypeRef result, LLVMValueRef *arg, unsigned n, bool variadic)
{
	LLVMTypeRef type[8], fn_type;
	LLVMValueRef f = LLVMGetNamedFunction(o->m->module, name);

	for (unsigned i = 0; i < n; i++)
		type[i] = LLVMTypeOf(arg[i]);
	fn_type = LLVMFunctionType(result, type, variadic ? 2 : n, variadic);
	if (!f)
		f = LLVMAddFunction(o->m->module, name, fn_type);
	return LLVMBuildCall2(o->b, fn_type, f, arg, n, "");
}

/* NAME_failed(status, reason), unless the program has its own. */
static LLVMValueRef add_failed(struct nvptx_object *o)
{
	LLVMTypeRef type[2] = { o->i32, o->ptr };
	LLVMTypeRef nothing = LLVMVoidTypeInContext(o->m->ctx);
	LLVMValueRef arg[5], f;
	struct poly_str name = { 0 };

	poly_str_printf(&name, "%s_failed", o->face->name);
	if (name.failed) {
		o->failed = true;
		return NULL;
	}
	f = LLVMAddFunction(o->m->module, name.s,
		LLVMFunctionType(nothing, type, 2, 0));
	poly_str_free(&name);
	LLVMSetLinkage(f, LLVMWeakAnyLinkage);
	LLVMPositionBuilderAtEnd(o->b,
		LLVMAppendBasicBlockInContext(o->m->ctx, f, "entry"));
	arg[0] = LLVMGetParam(f, 0);
	arg[3] = call(o, "cetane_status_text", o->ptr, arg, 1, false);
	arg[0] = LLVMConstInt(o->i32, 2, 0);
	arg[1] = text(o, "%s: %s: %s\n");
	arg[2] = text(o, o->face->name);
	arg[4] = LLVMGetParam(f, 1);
	call(o, "dprintf", o->i32, arg, 5, true);
	call(o, "abort", nothing, NULL, 0, false);
	LLVMBuildUnreachable(o->b);
	return f;
}

/* Return; if "status" is not 0, call "failed" before. */
static void finish(struct entry *e, LLVMValueRef failed, LLVMValueRef status)
{
	struct nvptx_object *o = e->o;
	LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(o->m->ctx, e->f,
		"failed");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(o->m->ctx, e->f,
		"end");
	LLVMValueRef arg[2] = { status };

	LLVMBuildCondBr(o->b, LLVMBuildICmp(o->b, LLVMIntEQ, status,
		LLVMConstNull(o->i32), ""), end, bad);
	LLVMPositionBuilderAtEnd(o->b, bad);
	arg[1] = call(o, "cetane_last_error", o->ptr, NULL, 0, false);
	LLVMBuildCall2(o->b, LLVMGlobalGetValueType(failed), failed, arg, 2,
		"");
	LLVMBuildBr(o->b, end);
	LLVMPositionBuilderAtEnd(o->b, end);
	if (e->slot)
		LLVMBuildRet(o->b, LLVMBuildLoad2(o->b,
			type_of(o, e->face->type), e->slot, ""));
	else
		LLVMBuildRetVoid(o->b);
}

/* Does the k-th 8 bytes of the structure have an integer? */
static bool has_integer(const struct nvptx_argument *a, int k)
{
	return a->integers >> 8 * k & 0xff;
}

static bool is_float(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_FLOAT;
}

/* The type of the structures of "a" as AArch64 passes them. */
static LLVMTypeRef block_type(struct nvptx_object *o,
	const struct nvptx_argument *a)
{
	int64_t n = a->floats == POLY_N_TYPE ? 0 : a->bytes /
		poly_type_size(a->floats);

	if (n > 0 && n <= 4)
		return LLVMArrayType2(type_of(o, a->floats), (uint64_t) n);
	if (a->bytes > 16)
		return o->ptr;
	return LLVMArrayType2(o->i64, (uint64_t) (a->bytes + 7) / 8);
}

/* The type of argument "i" of AArch64: there is one. */
static void add_block(struct entry *e, int i)
{
	const struct nvptx_argument *a = &e->face->arg[i];
	LLVMTypeRef type = a->pass == NVPTX_PASS_VALUE ? type_of(e->o, a->type) :
		a->pass == NVPTX_PASS_RECORD ? block_type(e->o, a) : e->o->ptr;

	e->taken[i] = (struct taken) { .first = e->n_type, .n = 1,
		.is_address = type == e->o->ptr };
	e->type[e->n_type++] = type;
}

/* Find the types of argument "i" of x86-64, where so many registers are left for
 * integers and addresses, and for floats.
 */
static void add_types(struct entry *e, int i, int left[2])
{
	const struct nvptx_argument *a = &e->face->arg[i];
	bool record = a->pass == NVPTX_PASS_RECORD;
	struct taken *t = &e->taken[i];
	int n[2] = { 0, 0 };

	*t = (struct taken) { .first = e->n_type, .n = 1 };
	if (record && a->bytes <= 16) {
		t->n = (int) (a->bytes + 7) / 8;
		for (int k = 0; k < t->n; k++)
			n[!has_integer(a, k)]++;
	} else if (!record) {
		n[a->pass == NVPTX_PASS_VALUE && is_float(a->type)] = 1;
	}
	t->on_stack = record && (a->bytes > 16 || n[0] > left[0] ||
		n[1] > left[1]);
	if (t->on_stack)
		t->n = 1;
	for (int k = 0; k < 2 && !t->on_stack; k++)
		left[k] = left[k] > n[k] ? left[k] - n[k] : 0;
	for (int k = 0; k < t->n; k++)
		e->type[e->n_type++] = a->pass == NVPTX_PASS_VALUE ?
			type_of(e->o, a->type) : t->on_stack || !record ?
			e->o->ptr : has_integer(a, k) ? e->o->i64 :
			type_of(e->o, POLY_F64);
}

/* Structures of AArch64 begin at a multiple of 8 bytes if they lie on the stack. */
static void mark_blocks(struct entry *e)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("alignstack", 10);

	for (int i = 0; i < e->face->n_param; i++)
		if (LLVMGetTypeKind(e->type[e->taken[i].first]) ==
		    LLVMArrayTypeKind)
			LLVMAddAttributeAtIndex(e->f, (LLVMAttributeIndex)
				e->taken[i].first + 1, LLVMCreateEnumAttribute(
				e->o->m->ctx, kind, 8));
}

/* The structures of x86-64 that lie on the stack of the caller. */
static void mark_stack(struct entry *e)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMContextRef ctx = e->o->m->ctx;

	for (int i = 0; i < e->face->n_param; i++) {
		LLVMAttributeIndex at = (LLVMAttributeIndex) e->taken[i].first +
			1;

		if (!e->taken[i].on_stack)
			continue;
		LLVMAddAttributeAtIndex(e->f, at, LLVMCreateTypeAttribute(ctx,
			kind, bytes_type(e->o, e->face->arg[i].bytes)));
		LLVMAddAttributeAtIndex(e->f, at,
			LLVMCreateEnumAttribute(ctx, align, 8));
	}
}

/* The function without its blocks. */
static void declare(struct entry *e)
{
	const struct nvptx_drop_in *face = e->face;
	struct nvptx_object *o = e->o;
	LLVMTypeRef result = face->returns ? type_of(o, face->type) :
		LLVMVoidTypeInContext(o->m->ctx);
	const char *ext = is_signed(face->type) ? "signext" : "zeroext";
	const struct nvptx_host *host = o->m->opt.host;
	bool blocks = host && host->records == NVPTX_RECORDS_AAPCS64;
	int left[2] = { 6, 8 };

	for (int i = 0; i < face->n_param; i++)
		if (blocks)
			add_block(e, i);
		else
			add_types(e, i, left);
	if (LLVMGetNamedFunction(o->m->module, o->face->name)) {
		o->failed = true;
		return;
	}
	e->f = LLVMAddFunction(o->m->module, o->face->name,
		LLVMFunctionType(result, e->type, (unsigned) e->n_type, 0));
	if (blocks)
		mark_blocks(e);
	else
		mark_stack(e);
	if (face->returns && poly_type_size(face->type) < 4 &&
	    !is_float(face->type))
		LLVMAddAttributeAtIndex(e->f, LLVMAttributeReturnIndex,
			LLVMCreateEnumAttribute(o->m->ctx,
				LLVMGetEnumAttributeKindForName(ext,
					strlen(ext)), 0));
}

/* An array on the stack of the "n" values. */
static LLVMValueRef gather(struct nvptx_object *o, LLVMValueRef *value, int n,
	LLVMTypeRef type, const char *name)
{
	LLVMValueRef array = LLVMBuildAlloca(o->b,
		LLVMArrayType2(type, (uint64_t) n), name);

	for (int i = 0; i < n; i++) {
		LLVMValueRef at = LLVMConstInt(o->i32, (unsigned) i, 0);

		at = LLVMBuildInBoundsGEP2(o->b, type, array, &at, 1, "");
		if (value[i])
			LLVMBuildStore(o->b, value[i], at);
		else
			o->failed = true;
	}
	return array;
}

/* A constant of the module. */
static LLVMValueRef constant(struct nvptx_object *o, LLVMValueRef value)
{
	LLVMValueRef g = LLVMAddGlobal(o->m->module, LLVMTypeOf(value),
		"cetane.layout");

	LLVMSetInitializer(g, value);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	return g;
}

/* The struct cetane_program_layout of "m"; NULL: the array lies there as it is. */
static LLVMValueRef layout_of(struct entry *e, const struct nvptx_member *m)
{
	struct nvptx_object *o = e->o;
	LLVMValueRef part[4] = { LLVMConstNull(o->i64), LLVMConstNull(o->i64),
		LLVMConstNull(o->i64), LLVMConstNull(o->ptr) }, *offset;

	if (!m)
		return LLVMConstStructInContext(o->m->ctx, part, 4, 0);
	offset = calloc((size_t) m->n, sizeof(*offset));
	for (int64_t i = 0; offset && i < m->n; i++)
		offset[i] = LLVMConstInt(o->i64,
			(unsigned long long) m->offset[i], 1);
	o->failed |= !offset;
	part[0] = LLVMConstInt(o->i64, (unsigned long long)
		e->face->arg[m->arg].bytes, 1);
	part[1] = LLVMConstInt(o->i64, (unsigned long long) m->n, 1);
	part[2] = LLVMConstInt(o->i64, (unsigned long long) m->arg, 1);
	if (offset)
		part[3] = constant(o, LLVMConstArray2(o->i64, offset,
			(uint64_t) m->n));
	free(offset);
	return LLVMConstStructInContext(o->m->ctx, part, 4, 0);
}

/* The layouts of all arrays, of which some have members of structures. */
static LLVMValueRef layouts(struct entry *e)
{
	struct nvptx_object *o = e->o;
	int n = o->face->n_array;
	LLVMValueRef *one = calloc((size_t) n + 1, sizeof(*one)), all = NULL;

	for (int i = 0; one && i < n; i++)
		one[i] = layout_of(e, NULL);
	for (int i = 0; one && i < e->face->n_member; i++) {
		const struct nvptx_member *m = &e->face->member[i];

		if (m->array >= 0)
			one[m->array] = layout_of(e, m);
	}
	o->failed |= !one;
	if (one)
		all = constant(o, LLVMConstArray2(LLVMTypeOf(one[0]), one,
			(uint64_t) n));
	free(one);
	return all;
}

/* The body of the C function: take its arguments, and call the runtime with the
 * program and with whether the sizes are valid. NAME_failed is called if that fails.
 */
static void fill(struct entry *e)
{
	struct nvptx_object *o = e->o;
	bool members = e->face->n_member > 0;
	LLVMValueRef arg[6] = { o->program }, failed = add_failed(o);

	if (o->failed)
		return;
	LLVMPositionBuilderAtEnd(o->b,
		LLVMAppendBasicBlockInContext(o->m->ctx, e->f, "entry"));
	for (int i = 0; i < e->face->n_arg; i++)
		take(e, i);
	for (int i = 0; i < e->face->n_member; i++)
		take_member(e, &e->face->member[i]);
	if (e->face->returns)
		e->slot = place(o, e->face->type);
	if (e->slot && e->face->result >= 0)
		e->array[e->face->result] = e->slot;
	if (members)
		arg[5] = layouts(e);
	if (o->failed)
		return;
	arg[1] = gather(o, e->size, o->face->n_size, o->i64, "size");
	arg[2] = gather(o, e->array, o->face->n_array, o->ptr, "array");
	if (o->failed)
		return;
	arg[3] = nvptx_object_valid(e->o, e->face->prog,
		e->face->valid, e->size);
	arg[4] = text(o, e->face->valid);
	finish(e, failed, call(o, members ? "cetane_program_call_members" :
		"cetane_program_call", o->i32, arg, members ? 6 : 5, false));
}

void nvptx_object_entry(struct nvptx_object *o)
{
	struct entry e = { .o = o, .face = o->face->drop_in };
	size_t n = (size_t) e.face->n_arg + 1;

	e.size = calloc((size_t) o->face->n_size + 1, sizeof(*e.size));
	e.array = calloc((size_t) o->face->n_array + 1, sizeof(*e.array));
	e.taken = calloc(n, sizeof(*e.taken));
	e.type = calloc(2 * n, sizeof(LLVMTypeRef));
	if (!e.size || !e.array || !e.taken || !e.type)
		o->failed = true;
	if (!o->failed)
		declare(&e);
	if (!o->failed)
		fill(&e);
	free(e.size);
	free(e.array);
	free(e.taken);
	free(e.type);
}

/* nvptx: load code for the host device into this process.
 *
 * The module is compiled by its own target machine, whose processor is this
 * one, so that fma is an instruction; the JIT only links the object. What the
 * code calls is given to it by address: a table from the caller (the runtime,
 * which this folder does not know) and functions of libc and libm that LLVM's
 * optimiser, or reference mode, calls. Nothing depends on the symbols that
 * the executable happens to export.
 */
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"

#define LIB(f) { #f, (void *) f }
static const struct nvptx_symbol library[] = {
	LIB(memcpy), LIB(memmove), LIB(memset),
	LIB(exp), LIB(log), LIB(tanh), LIB(sqrt), LIB(fma), LIB(fmaf),
	LIB(floor), LIB(floorf), LIB(ceil), LIB(ceilf), LIB(trunc), LIB(truncf),
};
#undef LIB
enum { N_LIBRARY = sizeof(library) / sizeof(library[0]) };

/* Report "error", which is consumed, behind what the session said before. */
static isl_stat fail(LLVMErrorRef error, struct poly_str *said,
	struct poly_report *report)
{
	char *text = LLVMGetErrorMessage(error);

	poly_str_printf(said, "%s%s", said->len ? "; " : "", text);
	LLVMDisposeErrorMessage(text);
	poly_report_add(report, MSG_NVPTX_JIT, NULL,
		said->s ? said->s : "LLVM gives no reason");
	return isl_stat_error;
}

/* The session's listener: it gets the detail of what then fails. */
static void listen(void *user, LLVMErrorRef error)
{
	struct poly_str *said = user;
	char *text = LLVMGetErrorMessage(error);

	poly_str_printf(said, "%s%s", said->len ? "; " : "", text);
	LLVMDisposeErrorMessage(text);
}

/* The listener between calls. */
static void ignore(void *user, LLVMErrorRef error)
{
	(void) user;
	LLVMConsumeError(error);
}

static void release(void *jit)
{
	LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
}

/* ----------------------------------------------------------------- symbols */

/* "s" as the JIT wants it. */
static LLVMOrcCSymbolMapPair pair(LLVMOrcLLJITRef jit,
	const struct nvptx_symbol *s)
{
	LLVMOrcCSymbolMapPair p = {
		.Name = LLVMOrcLLJITMangleAndIntern(jit, s->name),
		.Sym.Address = (LLVMOrcExecutorAddress) (uintptr_t) s->address,
		.Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported |
			LLVMJITSymbolGenericFlagsCallable,
	};

	return p;
}

static bool is_in(const char *name, const struct nvptx_symbol *symbol, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(name, symbol[i].name))
			return true;
	return false;
}

/* Give "symbol", and the library's functions that it does not replace. */
static LLVMErrorRef define(LLVMOrcLLJITRef jit,
	const struct nvptx_symbol *symbol, int n_symbol)
{
	LLVMOrcCSymbolMapPairs all;
	LLVMOrcMaterializationUnitRef unit;
	LLVMErrorRef error;
	size_t n = 0;
	int i;

	all = calloc(n_symbol + N_LIBRARY, sizeof(*all));
	if (!all)
		return LLVMCreateStringError("not enough memory");
	for (i = 0; i < n_symbol; i++)
		all[n++] = pair(jit, &symbol[i]);
	for (i = 0; i < N_LIBRARY; i++)
		if (!is_in(library[i].name, symbol, n_symbol))
			all[n++] = pair(jit, &library[i]);
	unit = LLVMOrcAbsoluteSymbols(all, n);
	free(all);
	error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), unit);
	if (error)
		LLVMOrcDisposeMaterializationUnit(unit);
	return error;
}

/* ------------------------------------------------------------------ kernels */

static LLVMErrorRef look_up(LLVMOrcLLJITRef jit, const char *name,
	void **address)
{
	LLVMOrcExecutorAddress a = 0;
	LLVMErrorRef error = LLVMOrcLLJITLookup(jit, &a, name);

	*address = (void *) (uintptr_t) a;
	return error;
}

static bool is_entry(LLVMValueRef f)
{
	return !LLVMIsDeclaration(f) &&
		LLVMGetLinkage(f) == LLVMExternalLinkage;
}

/* The entries of a module without a plan. */
static LLVMErrorRef find_entries(struct nvptx_module *m)
{
	LLVMErrorRef error = NULL;
	LLVMValueRef f;
	size_t size;
	int n = 0;

	for (f = LLVMGetFirstFunction(m->module); f && !error;
			f = LLVMGetNextFunction(f))
		if (is_entry(f))
			error = look_up(m->jit, LLVMGetValueName2(f, &size),
				&m->kernel[n++]);
	return error;
}

/* Find the kernel of each launch of the plan. */
static LLVMErrorRef find_launches(struct nvptx_module *m)
{
	LLVMErrorRef error = NULL;

	for (int i = 0; i < m->plan.n_launch && !error; i++)
		error = look_up(m->jit, m->plan.launch[i].kernel,
			&m->kernel[i]);
	return error;
}

/* How many entries m->kernel has: one for each launch, or, without a plan, for
 * each function that can be one.
 */
static size_t count_kernels(struct nvptx_module *m)
{
	LLVMValueRef f;
	size_t n = 0;

	if (m->has_plan)
		return m->plan.n_launch;
	for (f = LLVMGetFirstFunction(m->module); f;
			f = LLVMGetNextFunction(f))
		n += is_entry(f);
	return n;
}

/* --------------------------------------------------------------------- load */

/* Link "code", which is consumed, and fill m->kernel. */
static LLVMErrorRef load(struct nvptx_module *m, LLVMMemoryBufferRef code,
	const struct nvptx_symbol *symbol, int n_symbol)
{
	LLVMErrorRef error = define(m->jit, symbol, n_symbol);

	if (error) {
		LLVMDisposeMemoryBuffer(code);
		return error;
	}
	error = LLVMOrcLLJITAddObjectFile(m->jit,
		LLVMOrcLLJITGetMainJITDylib(m->jit), code);
	if (error)
		return error;
	m->kernel = calloc(count_kernels(m) + 1, sizeof(*m->kernel));
	if (!m->kernel)
		return LLVMCreateStringError("not enough memory");
	return m->has_plan ? find_launches(m) : find_entries(m);
}

/* Drop what a failed call left. */
static void unload(struct nvptx_module *m)
{
	if (m->jit)
		release(m->jit);
	m->jit = NULL;
	free(m->kernel);
	m->kernel = NULL;
}

/* Compile and link m's module, and set m->jit. What LLVM says while it links becomes
 * part of the report; what it says later is dropped.
 */
static isl_stat compile(struct nvptx_module *m,
	const struct nvptx_symbol *symbol, int n_symbol,
	struct poly_report *report)
{
	LLVMMemoryBufferRef code = nvptx_emit(m, LLVMObjectFile, report);
	struct poly_str said = { 0 };
	LLVMOrcLLJITRef jit = NULL;
	LLVMErrorRef error;

	if (!code)
		return isl_stat_error;
	error = LLVMOrcCreateLLJIT(&jit, NULL);
	if (error) {
		LLVMDisposeMemoryBuffer(code);
	} else {
		m->jit = jit;
		m->jit_free = release;
		LLVMOrcExecutionSessionSetErrorReporter(
			LLVMOrcLLJITGetExecutionSession(jit), listen, &said);
		error = load(m, code, symbol, n_symbol);
		LLVMOrcExecutionSessionSetErrorReporter(
			LLVMOrcLLJITGetExecutionSession(jit), ignore, NULL);
	}
	if (error) {
		fail(error, &said, report);
		unload(m);
	}
	poly_str_free(&said);
	return error ? isl_stat_error : isl_stat_ok;
}

isl_stat nvptx_jit(struct nvptx_module *m, const struct nvptx_symbol *symbol,
	int n_symbol, void ***kernel, struct poly_report *report)
{
	if (!m->jit && compile(m, symbol, n_symbol, report) < 0)
		return isl_stat_error;
	*kernel = m->kernel;
	return isl_stat_ok;
}

/* ------------------------------------------------------------------ objects */

/* An object that was loaded into this process. */
struct nvptx_code {
	LLVMOrcLLJITRef jit;
};

/* Define what the object calls, and add the object. */
static LLVMErrorRef link_object(struct nvptx_code *code, const void *object,
	size_t size, const struct nvptx_symbol *symbol, int n_symbol)
{
	LLVMErrorRef error = define(code->jit, symbol, n_symbol);
	LLVMMemoryBufferRef copy;

	if (error)
		return error;
	copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "code");
	return LLVMOrcLLJITAddObjectFile(code->jit,
		LLVMOrcLLJITGetMainJITDylib(code->jit), copy);
}

static void set_listener(struct nvptx_code *code, struct poly_str *said)
{
	LLVMOrcExecutionSessionSetErrorReporter(
		LLVMOrcLLJITGetExecutionSession(code->jit),
		said ? listen : ignore, said);
}

/* Is the object for another machine? Then that has been reported. */
static bool is_foreign(const void *object, size_t size,
	struct poly_report *report)
{
	const struct nvptx_host *here = nvptx_host_here();
	const struct nvptx_host *of = nvptx_host_of(object, size);
	char text[80];

	if (!of || !here || of == here)
		return false;
	snprintf(text, sizeof(text), "the object is for %s, and this is %s",
		of->name, here->name);
	poly_report_add(report, MSG_NVPTX_JIT, NULL, text);
	return true;
}

struct nvptx_code *nvptx_code_load(const void *object, size_t size,
	const struct nvptx_symbol *symbol, int n_symbol,
	struct poly_report *report)
{
	struct nvptx_code *code;
	struct poly_str said = { 0 };
	LLVMErrorRef error;

	if (is_foreign(object, size, report))
		return NULL;
	code = calloc(1, sizeof(*code));
	if (!code) {
		poly_report_add(report, MSG_NVPTX_JIT, NULL,
			"not enough memory");
		return NULL;
	}
	nvptx_initialize();
	error = LLVMOrcCreateLLJIT(&code->jit, NULL);
	if (!error) {
		set_listener(code, &said);
		error = link_object(code, object, size, symbol, n_symbol);
		set_listener(code, NULL);
	}
	if (error) {
		fail(error, &said, report);
		code = nvptx_code_free(code);
	}
	poly_str_free(&said);
	return code;
}

void *nvptx_code_symbol(struct nvptx_code *code, const char *name,
	struct poly_report *report)
{
	struct poly_str said = { 0 };
	void *address = NULL;
	LLVMErrorRef error;

	set_listener(code, &said);
	error = look_up(code->jit, name, &address);
	set_listener(code, NULL);
	if (error) {
		fail(error, &said, report);
		address = NULL;
	}
	poly_str_free(&said);
	return address;
}

struct nvptx_code *nvptx_code_free(struct nvptx_code *code)
{
	if (code && code->jit)
		release(code->jit);
	free(code);
	return NULL;
}

/* nvptx: read edited LLVM IR.
 *
 * The text replaces the lowering: the module that results goes through
 * optimisation and code generation as if it had just been lowered, without a
 * launch plan. Triple and data layout are ours whatever the text says, but
 * text for another machine is refused.
 */
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/optimise/optimise.h"

#define BUFFER_NAME "ir"

/* Report LLVM's "ir:LINE:COLUMN: error: TEXT", cut after its first line. */
static void report_syntax(struct poly_report *report, char *message)
{
	struct poly_loc loc = { .len = 1 };
	char *text = message, *end = strchr(message, '\n');
	int n = 0;

	if (end)
		*end = '\0';
	if (sscanf(message, BUFFER_NAME ":%d:%d: error: %n", &loc.line,
			&loc.col, &n) == 2 && n > 0)
		text = message + n;
	poly_report_add(report, MSG_NVPTX_TEXT, loc.line > 0 ? &loc : NULL,
		text);
}

/* The module that "text" says; NULL, having reported why not. */
static LLVMModuleRef parse(LLVMContextRef ctx, const char *text, size_t len,
	struct poly_report *report)
{
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef module = NULL;
	char *message = NULL;

	buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, len,
		BUFFER_NAME);
	if (LLVMParseIRInContext2(ctx, buffer, &module, &message)) {
		report_syntax(report, message);
		LLVMDisposeMessage(message);
		module = NULL;
	}
	LLVMDisposeMemoryBuffer(buffer);
	return module;
}

/* Whether "module" is for the machine of "m" or for none in particular. */
static isl_stat check_triple(struct nvptx_module *m, LLVMModuleRef module,
	struct poly_report *report)
{
	const char *theirs = LLVMGetTarget(module);
	const char *ours = LLVMGetTarget(m->module);
	size_t n = strcspn(ours, "-");
	char text[128];

	if (!*theirs || (!strncmp(theirs, ours, n) && theirs[n] == '-'))
		return isl_stat_ok;
	snprintf(text, sizeof(text), "the module is for %.40s, not for %.40s",
		theirs, ours);
	poly_report_add(report, MSG_NVPTX_INVALID, NULL, text);
	return isl_stat_error;
}

/* Put "module" into the place of the empty module of "m". */
static void replace(struct nvptx_module *m, LLVMModuleRef module)
{
	LLVMSetTarget(module, LLVMGetTarget(m->module));
	LLVMSetDataLayout(module, LLVMGetDataLayoutStr(m->module));
	LLVMDisposeModule(m->module);
	m->module = module;
}

/* Let "m" have the module that "text" says, if LLVM accepts it and it is for
 * the same machine or for none in particular.
 */
static isl_stat read_into(struct nvptx_module *m, const char *text, size_t len,
	struct poly_report *report)
{
	int n_error = report->n_error;
	LLVMModuleRef module;

	nvptx_listen(m, report);
	module = parse(m->ctx, text, len, report);
	nvptx_listen(m, NULL);
	if (!module)
		return isl_stat_error;
	if (report->n_error > n_error || check_triple(m, module, report) < 0) {
		LLVMDisposeModule(module);
		return isl_stat_error;
	}
	replace(m, module);
	return nvptx_verify(m, report);
}

struct nvptx_module *nvptx_read(const char *text, size_t len,
	const struct nvptx_options *o, struct poly_report *report)
{
	struct nvptx_module *m = nvptx_module_alloc(BUFFER_NAME, o, report);

	if (m && read_into(m, text, len, report) < 0)
		m = nvptx_module_free(m);
	return m;
}

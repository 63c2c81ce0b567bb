/* nvptx: debug locations. Each statement's code carries the line of the
 * source that it came from, so that profilers show source lines. The kind
 * "debug directives only" makes LLVM print .loc without DWARF sections, and
 * ptxas goes on optimising.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

#define DEBUG_DIRECTIVES_ONLY ((LLVMDWARFEmissionKind) 3)

static void add_flag(struct nvptx_lower *l, const char *name, unsigned value)
{
	LLVMValueRef v = LLVMConstInt(nvptx_i32(l), value, 0);

	LLVMAddModuleFlag(l->m->module, LLVMModuleFlagBehaviorWarning, name,
		strlen(name), LLVMValueAsMetadata(v));
}

void nvptx_debug_begin(struct nvptx_lower *l, const char *path)
{
	char *file = strdup(path ? path : ""), *at;

	if (!file || !*file) {
		free(file);
		return;
	}
	/* A string of PTX ends at any quote, whatever is before it. */
	for (at = file; *at; at++)
		if (*at == '"')
			*at = '_';
	l->di = LLVMCreateDIBuilder(l->m->module);
	l->di_file = LLVMDIBuilderCreateFile(l->di, file, strlen(file), "", 0);
	free(file);
	LLVMDIBuilderCreateCompileUnit(l->di, LLVMDWARFSourceLanguageC,
		l->di_file, "cetane", 6, 1, "", 0, 0, "", 0,
		DEBUG_DIRECTIVES_ONLY, 0, 0, 0, "", 0, "", 0);
	add_flag(l, "Debug Info Version", LLVMDebugMetadataVersion());
}

void nvptx_debug_kernel(struct nvptx_lower *l, const char *name,
	const struct poly_loc *loc)
{
	LLVMMetadataRef type;
	unsigned line = loc && loc->line > 0 ? loc->line : 1;

	LLVMSetCurrentDebugLocation2(l->b, NULL);
	if (!l->di)
		return;
	type = LLVMDIBuilderCreateSubroutineType(l->di, l->di_file, NULL, 0,
		LLVMDIFlagZero);
	l->di_scope = LLVMDIBuilderCreateFunction(l->di, l->di_file, name,
		strlen(name), name, strlen(name), l->di_file, line, type, 0, 1,
		line, LLVMDIFlagZero, 1);
	LLVMSetSubprogram(l->fn, l->di_scope);
	LLVMSetCurrentDebugLocation2(l->b, LLVMDIBuilderCreateDebugLocation(
		l->m->ctx, line, 0, l->di_scope, NULL));
}

void nvptx_debug_stmt(struct nvptx_lower *l, const struct poly_stmt *s)
{
	l->stmt = s;
	if (!l->di || s->loc.line <= 0)
		return;
	LLVMSetCurrentDebugLocation2(l->b, LLVMDIBuilderCreateDebugLocation(
		l->m->ctx, s->loc.line, s->loc.col, l->di_scope, NULL));
}

void nvptx_debug_end(struct nvptx_lower *l)
{
	if (!l->di)
		return;
	LLVMDIBuilderFinalize(l->di);
	LLVMDisposeDIBuilder(l->di);
	l->di = NULL;
}

/* nvptx: debug locations. Each statement's code carries the line of the
 * source that it came from, so that profilers show source lines. The kind
 * "debug directives only" makes LLVM print .loc without DWARF sections, and
 * ptxas goes on optimising.
 *
 * With source columns for each statement, as lowering goes through them
 * (nvptx_debug_stmt). Nothing is emitted for a program without a file name.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"

/* LLVM's C API has no name for it; DICompileUnit::DebugDirectivesOnly is 3. */
#define DEBUG_DIRECTIVES_ONLY ((LLVMDWARFEmissionKind) 3)

static void add_flag(struct nvptx_ir *ir, const char *name, unsigned value)
{
	LLVMValueRef v = LLVMConstInt(nvptx_i32(ir), value, 0);

	LLVMAddModuleFlag(ir->m->module, LLVMModuleFlagBehaviorWarning, name,
		strlen(name), LLVMValueAsMetadata(v));
}

/* "path" is relative, so that results do not depend on where they are made. */
void nvptx_debug_begin(struct nvptx_ir *ir, const char *path)
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
	ir->di = LLVMCreateDIBuilder(ir->m->module);
	ir->di_file = LLVMDIBuilderCreateFile(ir->di, file, strlen(file), "",
		0);
	free(file);
	LLVMDIBuilderCreateCompileUnit(ir->di, LLVMDWARFSourceLanguageC,
		ir->di_file, "cetane", 6, 1, "", 0, 0, "", 0,
		DEBUG_DIRECTIVES_ONLY, 0, 0, 0, "", 0, "", 0);
	add_flag(ir, "Debug Info Version", LLVMDebugMetadataVersion());
}

/* Each kernel is a function of the source in which its first statement stands.
 */
void nvptx_debug_kernel(struct nvptx_ir *ir, const char *name,
	const struct poly_loc *loc)
{
	LLVMMetadataRef type;
	unsigned line = loc && loc->line > 0 ? loc->line : 1;

	LLVMSetCurrentDebugLocation2(ir->b, NULL);
	if (!ir->di)
		return;
	type = LLVMDIBuilderCreateSubroutineType(ir->di, ir->di_file, NULL, 0,
		LLVMDIFlagZero);
	ir->di_scope = LLVMDIBuilderCreateFunction(ir->di, ir->di_file, name,
		strlen(name), name, strlen(name), ir->di_file, line, type, 0, 1,
		line, LLVMDIFlagZero, 1);
	LLVMSetSubprogram(ir->fn, ir->di_scope);
	LLVMSetCurrentDebugLocation2(ir->b, LLVMDIBuilderCreateDebugLocation(
		ir->m->ctx, line, 0, ir->di_scope, NULL));
}

/* From here on what is emitted belongs to "s"; messages of nvptx_fail have its
 * place, too.
 */
void nvptx_debug_stmt(struct nvptx_ir *ir, const struct poly_stmt *s)
{
	ir->stmt = s;
	if (!ir->di || s->loc.line <= 0)
		return;
	LLVMSetCurrentDebugLocation2(ir->b, LLVMDIBuilderCreateDebugLocation(
		ir->m->ctx, s->loc.line, s->loc.col, ir->di_scope, NULL));
}

/* Finalising resolves the temporary nodes; without it LLVM's verifier
 * complains.
 */
void nvptx_debug_end(struct nvptx_ir *ir)
{
	if (!ir->di)
		return;
	LLVMDIBuilderFinalize(ir->di);
	LLVMDisposeDIBuilder(ir->di);
	ir->di = NULL;
}

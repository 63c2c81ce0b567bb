/* nvptx, inside: what the files of this folder share. Only files that include
 * this header see LLVM's C API.
 */
#ifndef NVPTX_INTERNAL_H
#define NVPTX_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

#include "nvptx/nvptx.h"

/* ---------------------------------------------------------------- modules */

/* Allocated zeroed by nvptx_module_alloc, freed by nvptx_module_free.
 * "tree" is the schedule tree as LLVM comment lines; nvptx_print puts it on
 * top, nvptx_opt frees and clears it. "has_plan" is false after nvptx_read.
 * "jit" belongs to jit.c; when it is set, jit_free releases it (and the
 * modules that it took over) before anything else goes.
 * When jit.c hands context and module to the JIT it sets "ctx" and "module"
 * to NULL.
 */
struct nvptx_module {
	LLVMContextRef ctx;
	LLVMModuleRef module;
	LLVMTargetMachineRef tm;
	struct nvptx_options opt;
	struct nvptx_plan plan;
	bool has_plan;
	char *tree;
	char **site;
	int n_site;
	void *jit;
	void (*jit_free)(void *jit);
	void **kernel;
};

/* module.c: a module with context, empty LLVM module "name", target machine,
 * triple and data layout. NULL (reported) on failure.
 */
struct nvptx_module *nvptx_module_alloc(const char *name,
	const struct nvptx_options *o, struct poly_report *report);

/* emit.c: target machine of "o": nvptx64-nvidia-cuda with the target's name
 * and PTX version, or the native host. NULL (reported) on failure; the caller
 * disposes.
 */
LLVMTargetMachineRef nvptx_target_machine(const struct nvptx_options *o,
	struct poly_report *report);

/* math.c: exp, log, tanh, sigmoid (and sqrt) of "x" (f32 or f64) as calls or
 * inline code at "b", for both devices, without fast-math flags and the same
 * bits on both.
 */
LLVMValueRef nvptx_math(struct nvptx_module *m, LLVMBuilderRef b,
	enum poly_op op, LLVMValueRef x);

#endif

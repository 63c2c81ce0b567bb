/* ptxas, nvJitLink, and the processes that run them; what kernels use. */
#ifndef NVPTX_ASSEMBLE_H
#define NVPTX_ASSEMBLE_H

#include <stdbool.h>

#include <isl/ctx.h>

#include "nvptx/nvptx.h"

/* process.c: programs of the CUDA toolkit. nvptx_program_find returns the path
 * of "name" (the caller frees it): what the environment variable says, unless
 * that is "none"; or from PATH, or from the toolkit's usual places; or NULL,
 * with ENOMEM in errno for want of memory.
 * nvptx_program_run runs it in a folder that nvptx_folder_make has made, its
 * messages go to "log"; a failure is reported. The folder's files are written
 * and read as a whole, false with errno set on failure; nvptx_folder_remove
 * takes NULL, too.
 */
char *nvptx_program_find(const char *name, const char *variable);
isl_stat nvptx_program_run(const char *path, char *const *arg,
	const char *folder, struct poly_str *log, struct poly_report *report);
isl_stat nvptx_cannot_run(const char *path, const char *why,
	struct poly_report *report);
char *nvptx_folder_make(void);
void nvptx_folder_remove(char *folder);
bool nvptx_folder_write(const char *folder, const char *name,
	const struct poly_str *text);
bool nvptx_folder_read(const char *folder, const char *name,
	struct poly_str *text);

/* ptxas.c: the assembler as a program. nvptx_ptxas_find returns its path
 * (the caller frees it) or NULL as nvptx_program_find; nvptx_ptxas runs it. The
 * remarks of the assembler are added to "log" in any case.
 */
char *nvptx_ptxas_find(void);
isl_stat nvptx_ptxas(const char *path, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report);

/* nvjitlink.c: the assembler as a library. nvptx_jitlink_open returns a handle
 * for dlclose, or NULL if there is none, with ENOMEM in errno for want of
 * memory; "tried" receives the names tried.
 */
void *nvptx_jitlink_open(struct poly_str *tried);
/* "13.0", owned by the caller; NULL if the library does not say, with ENOMEM in
 * errno for want of memory.
 */
char *nvptx_jitlink_version(void *library);
isl_stat nvptx_jitlink(void *library, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report);

/* usage.c: find in "log", the remarks of the assembler "name", the resources
 * of each kernel (caller frees) and what deserves a warning.
 */
isl_stat nvptx_usage_parse(const struct poly_str *log, const char *name,
	struct nvptx_usage **usage, int *n_usage, struct poly_report *report);

#endif

/* nvptx: the assembler ptxas as a child process (process.c). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nvptx/assemble/assemble.h"

/* The caller frees the path. NULL if there is none, with errno. */
char *nvptx_ptxas_find(void)
{
	return nvptx_program_find("ptxas", "CETANE_PTXAS");
}

/* Run ptxas on the file in "folder", and read the cubin that it has written
 * there.
 *
 * "-v" makes it print the registers and bytes of each kernel.
 */
static isl_stat assemble(const char *path, const char *folder,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report)
{
	char arch[32];
	char *arg[] = {
		(char *) path, arch, (char *) "-v", (char *) "-lineinfo",
		(char *) "-o", (char *) "kernel.cubin", (char *) "kernel.ptx",
		NULL
	};
	isl_stat result;

	snprintf(arch, sizeof(arch), "-arch=%s", target->name);
	result = nvptx_program_run(path, arg, folder, log, report);
	if (result == isl_stat_ok &&
	    !nvptx_folder_read(folder, "kernel.cubin", cubin))
		return nvptx_cannot_run(path, strerror(errno), report);
	return result;
}

/* A folder for each call, so that several may run at once. */
isl_stat nvptx_ptxas(const char *path, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report)
{
	char *folder = nvptx_folder_make();
	isl_stat result;

	if (!folder || !nvptx_folder_write(folder, "kernel.ptx", ptx))
		result = nvptx_cannot_run(path, strerror(errno), report);
	else
		result = assemble(path, folder, target, cubin, log, report);
	nvptx_folder_remove(folder);
	return result;
}

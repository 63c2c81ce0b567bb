/* nvptx: PTX -> cubin by whichever assembler the machine has: the program
 * ptxas, or else the library nvJitLink. Without one, PTX is all that can be
 * made, and the message says what was looked for.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "nvptx/assemble/assemble.h"

/* Assemble by the program "path"; the registers and bytes of each kernel are
 * read from what it prints.
 *
 * A log that cannot be read is reported there (nvptx_usage_parse).
 */
static isl_stat by_program(const char *path, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct nvptx_usage **usage, int *n_usage, struct poly_report *report)
{
	struct poly_str log = { 0 };
	isl_stat result;

	result = nvptx_ptxas(path, ptx, target, cubin, &log, report);
	if (result == isl_stat_ok)
		result = nvptx_usage_parse(&log, "ptxas", usage, n_usage,
			report);
	poly_str_free(&log);
	return result;
}

/* Assemble by "library", which is closed then.
 *
 * The library gives the log as the program prints it.
 */
static isl_stat by_library(void *library, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct nvptx_usage **usage, int *n_usage, struct poly_report *report)
{
	struct poly_str log = { 0 };
	isl_stat result;

	result = nvptx_jitlink(library, ptx, target, cubin, &log, report);
	if (result == isl_stat_ok)
		result = nvptx_usage_parse(&log, "nvJitLink", usage, n_usage,
			report);
	poly_str_free(&log);
	dlclose(library);
	return result;
}

/* Report that there is no assembler; "tried" has the libraries that were looked
 * for.
 *
 * Where the program was looked for is always the same.
 */
static isl_stat by_nothing(const struct nvptx_target *target,
	const struct poly_str *tried, struct poly_report *report)
{
	struct poly_str text = { 0 };

	poly_str_printf(&text, "there is no ptxas (CETANE_PTXAS, PATH, "
		"/usr/local/cuda*/bin) and no nvJitLink (%s)",
		tried->s ? tried->s : "");
	poly_report_add(report, MSG_NVPTX_NO_ASSEMBLER, NULL, target->name,
		text.s ? text.s : "no assembler");
	poly_str_free(&text);
	return isl_stat_error;
}

/* The program is preferred. errno tells an assembler that is missing from one
 * that there was no memory to look for.
 */
isl_stat nvptx_assemble(const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct nvptx_usage **usage, int *n_usage, struct poly_report *report)
{
	char *path = nvptx_ptxas_find();
	bool refused = !path && errno == ENOMEM;
	struct poly_str tried = { 0 };
	void *library = path || refused ? NULL : nvptx_jitlink_open(&tried);
	isl_stat result;

	refused |= !path && !library && errno == ENOMEM;
	if (refused) {
		errno = ENOMEM;
		result = nvptx_cannot_run("ptxas or nvJitLink",
			"not enough memory", report);
	} else if (path)
		result = by_program(path, ptx, target, cubin, usage, n_usage,
			report);
	else if (library)
		result = by_library(library, ptx, target, cubin, usage,
			n_usage, report);
	else
		result = by_nothing(target, &tried, report);
	poly_str_free(&tried);
	free(path);
	return result;
}

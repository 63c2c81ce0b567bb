/* nvptx: a cubin -> the text of its machine code, by the toolkit's program nvdisasm, or
 * else cuobjdump, which tells no lines of the source.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/assemble/assemble.h"

static const char variable[] = "CETANE_NVDISASM";

char *nvptx_disassembler(void)
{
	char *path = nvptx_program_find("nvdisasm", variable);
	const char *wanted = getenv(variable);

	if (path || errno == ENOMEM || (wanted && *wanted))
		return path;
	return nvptx_program_find("cuobjdump", variable);
}

/* Append the lines of "log" but those that the program says of itself, which begin with
 * "name".
 */
static void add_code(const struct poly_str *log, const char *name,
	struct poly_str *out)
{
	const char *p = log->s, *stop = p + log->len, *end;

	for (; p < stop; p = end) {
		end = memchr(p, '\n', (size_t) (stop - p));
		end = end ? end + 1 : stop;
		if ((size_t) (end - p) < strlen(name) ||
		    strncmp(p, name, strlen(name)))
			poly_str_addn(out, p, (size_t) (end - p));
	}
}

bool nvptx_disassemble(const char *path, const struct poly_str *cubin,
	struct poly_str *out, struct poly_report *report)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	bool dumps = strstr(name, "cuobjdump");
	char *const arg[] = { (char *) path, (char *) (dumps ? "-sass" : "-g"),
		(char *) (dumps ? "kernel.cubin" : "-c"),
		(char *) (dumps ? NULL : "kernel.cubin"), NULL };
	char *folder = nvptx_folder_make();
	struct poly_str log = { 0 }, all = { 0 };
	bool ok = folder && nvptx_folder_write(folder, "kernel.cubin", cubin);

	if (!ok)
		nvptx_cannot_run(path, strerror(errno), report);
	else
		ok = nvptx_program_run(path, arg, folder, &log, report) ==
			isl_stat_ok;
	if (ok && nvptx_folder_read(folder, "log", &all) && all.len)
		add_code(&all, name, out);
	poly_str_free(&log);
	poly_str_free(&all);
	nvptx_folder_remove(folder);
	return ok && !out->failed;
}

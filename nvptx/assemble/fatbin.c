/* nvptx: cubins and PTX of several architectures -> one fat binary, by the
 * toolkit's program fatbinary.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/assemble/assemble.h"

/* The argument for image "i", whose file is called by its number.
 *
 * The caller frees it. NULL without memory.
 */
static char *describe(const struct nvptx_fat_image *image, int i)
{
	char *arg;

	if (asprintf(&arg, "--image3=kind=%s,sm=%s,file=%d", image->is_ptx ?
			"ptx" : "elf", image->target->name + 3, i) < 0)
		return NULL;
	return arg;
}

/* The program finds the images by the numbers of their files. */
static bool write_image(const char *folder,
	const struct nvptx_fat_image *image, int i)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", i);
	return nvptx_folder_write(folder, name, image->data);
}

/* Write the "n" images at "image" into "folder", let the program "path" pack them, and
 * read the result into "out". "arg", zeroed, has room for "n" + 4 arguments and the
 * NULL behind them, which the caller frees.
 */
static isl_stat pack(const char *path, const char *folder,
	const struct nvptx_fat_image *image, int n, char **arg,
	struct poly_str *out, struct poly_report *report)
{
	struct poly_str log = { 0 };
	isl_stat result;

	arg[0] = strdup(path);
	arg[1] = strdup("--64");
	arg[2] = strdup("--create=fatbin");
	arg[3] = strdup("--compress=false");	/* so that inspect can read it */
	for (int i = 0; i < n; i++) {
		arg[4 + i] = describe(&image[i], i);
		if (!arg[4 + i] || !write_image(folder, &image[i], i))
			return nvptx_cannot_run(path, strerror(errno), report);
	}
	if (!arg[0] || !arg[1] || !arg[2] || !arg[3])
		return nvptx_cannot_run(path, strerror(ENOMEM), report);
	result = nvptx_program_run(path, arg, folder, &log, report);
	if (result == isl_stat_ok &&
	    !nvptx_folder_read(folder, "fatbin", out))
		result = nvptx_cannot_run(path, strerror(errno), report);
	poly_str_free(&log);
	return result;
}

/* The same in a folder of its own, which is removed then.
 *
 * Whatever happens, the folder and the arguments go.
 */
static isl_stat pack_by(const char *path, const struct nvptx_fat_image *image,
	int n, struct poly_str *out, struct poly_report *report)
{
	char **arg = calloc(n + 5, sizeof(*arg));
	char *folder = nvptx_folder_make();
	isl_stat result;

	if (!arg || !folder)
		result = nvptx_cannot_run(path, strerror(errno), report);
	else
		result = pack(path, folder, image, n, arg, out, report);
	for (int i = 0; arg && arg[i]; i++)
		free(arg[i]);
	free(arg);
	nvptx_folder_remove(folder);
	return result;
}

/* Where the program is missing the message says so by a number of its own. */
isl_stat nvptx_fatbin(const struct nvptx_fat_image *image, int n,
	struct poly_str *out, struct poly_report *report)
{
	char *path = nvptx_program_find("fatbinary", "CETANE_FATBINARY");
	isl_stat result;

	if (!path && errno == ENOMEM) {
		result = nvptx_cannot_run("fatbinary", "not enough memory",
			report);
	} else if (path) {
		result = pack_by(path, image, n, out, report);
	} else {
		poly_report_add(report, MSG_NVPTX_NO_FATBIN, NULL);
		result = isl_stat_error;
	}
	free(path);
	return result;
}

/* nvptx: the assembler as a library, nvJitLink, opened at run time.
 *
 * A machine may have the library without the toolkit's programs (it comes
 * with many Python packages). Depending on its version the functions are
 * exported under their plain names, or with the version behind them, such as
 * __nvJitLinkCreate_13_0.
 */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvptx/assemble/assemble.h"

enum { INPUT_PTX = 2 };	/* nvJitLinkInputType */

typedef struct nvJitLink *handle;

/* The functions, as far as we need them. All return 0 for success. */
struct api {
	int (*create)(handle *h, uint32_t n, const char **option);
	int (*destroy)(handle *h);
	int (*add_data)(handle h, int type, const void *data, size_t size,
		const char *name);
	int (*complete)(handle h);
	int (*cubin_size)(handle h, size_t *size);
	int (*cubin)(handle h, void *data);
	int (*error_size)(handle h, size_t *size);
	int (*error)(handle h, char *text);
	int (*info_size)(handle h, size_t *size);
	int (*info)(handle h, char *text);
};

/* ------------------------------------------------------------------ search */

/* Would the dynamic linker find "name" in a relative or empty folder of
 * LD_LIBRARY_PATH? Others may have put it there.
 */
static bool is_in_relative_folder(const char *name)
{
	const char *p = getenv("LD_LIBRARY_PATH");
	char path[4096];
	size_t n;

	if (!p || !*p || strchr(name, '/'))
		return false;
	for (; p; p = p[n] ? p + n + 1 : NULL) {
		n = strcspn(p, ":;");
		snprintf(path, sizeof(path), "%.*s%s%s", (int) n, p,
			n ? "/" : "", name);
		if (*p != '/' && access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* Open "name"; NULL, with ENOMEM in errno for want of memory. NODELETE: the
 * library's C++ runtime does not survive being unloaded without a leak.
 */
static void *open_one(const char *name, struct poly_str *tried)
{
	void *library;

	errno = 0;
	library = is_in_relative_folder(name) ? NULL :
		dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library && errno != ENOMEM) {
		poly_str_printf(tried, "%s%s", tried->len ? ", " : "", name);
		errno = tried->failed ? ENOMEM : 0;
	}
	return library;
}

/* In the toolkits at their usual place; "tried" names the pattern. */
static void *open_in_toolkits(struct poly_str *tried)
{
	static const char pattern[] =
		"/usr/local/cuda*/lib64/libnvJitLink.so*";
	void *library = NULL;
	struct poly_str each = { 0 };
	glob_t g;

	errno = 0;
	if (glob(pattern, 0, NULL, &g) == 0) {
		errno = 0;
		for (size_t i = g.gl_pathc;
		    i > 0 && !library && errno != ENOMEM; i--)
			library = open_one(g.gl_pathv[i - 1], &each);
		globfree(&g);
	}
	poly_str_free(&each);
	if (!library)
		poly_str_printf(tried, ", %s", pattern);
	if (tried->failed)
		errno = ENOMEM;
	return library;
}

void *nvptx_jitlink_open(struct poly_str *tried)
{
	static const char *const name[] = {
		"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"
	};
	const char *wanted = getenv("CETANE_NVJITLINK");
	void *library = NULL;
	size_t i;

	if (wanted && !strcmp(wanted, "none")) {
		poly_str_add(tried, "CETANE_NVJITLINK=none");
		return NULL;
	}
	if (wanted && *wanted)
		return open_one(wanted, tried);
	for (i = 0; i < sizeof(name) / sizeof(name[0]) && !library; i++) {
		library = open_one(name[i], tried);
		if (!library && errno == ENOMEM)
			return NULL;
	}
	return library ? library : open_in_toolkits(tried);
}

/* --------------------------------------------------------------- functions */

/* The function nvJitLink"name" of "library", by whatever name it has. */
static void *find(void *library, const char *name)
{
	char text[64];
	void *f;
	int major, minor;

	snprintf(text, sizeof(text), "nvJitLink%s", name);
	f = dlsym(library, text);
	for (major = 13; !f && major >= 12; major--)
		for (minor = 9; !f && minor >= 0; minor--) {
			snprintf(text, sizeof(text), "__nvJitLink%s_%d_%d",
				name, major, minor);
			f = dlsym(library, text);
		}
	return f;
}

char *nvptx_jitlink_version(void *library)
{
	int (*version)(unsigned *major, unsigned *minor);
	unsigned major, minor;
	void *f;
	char *text;

	errno = 0;
	f = find(library, "Version");
	if (!f)
		return NULL;
	memcpy(&version, &f, sizeof(version));
	if (version(&major, &minor))
		return NULL;
	return asprintf(&text, "%u.%u", major, minor) < 0 ? NULL : text;
}

/* Fill "api"; false if a function is missing, with its name in "missing". */
static bool load(void *library, struct api *api, const char **missing)
{
	const struct {
		const char *name;
		void *slot;
	} row[] = {
		{ "Create", &api->create },
		{ "Destroy", &api->destroy },
		{ "AddData", &api->add_data },
		{ "Complete", &api->complete },
		{ "GetLinkedCubinSize", &api->cubin_size },
		{ "GetLinkedCubin", &api->cubin },
		{ "GetErrorLogSize", &api->error_size },
		{ "GetErrorLog", &api->error },
		{ "GetInfoLogSize", &api->info_size },
		{ "GetInfoLog", &api->info },
	};
	void *f;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		*missing = row[i].name;
		f = find(library, row[i].name);
		if (!f)
			return false;
		memcpy(row[i].slot, &f, sizeof(f));
	}
	return true;
}

/* --------------------------------------------------------------------- use */

/* Append the text of "size" bytes (its NUL included) that "get" gives. */
static void add_log(handle h, int (*get_size)(handle, size_t *),
	int (*get)(handle, char *), struct poly_str *out)
{
	size_t size = 0;
	char *text;

	if (get_size(h, &size) || size < 2)
		return;
	text = calloc(size + 1, 1);
	if (text && !get(h, text))
		poly_str_add(out, text);
	free(text);
}

/* Append the cubin that "h" has made; false if there is none, or without
 * memory.
 */
static bool take_cubin(const struct api *api, handle h, struct poly_str *cubin)
{
	size_t size = 0;
	void *data;
	bool ok;

	if (api->cubin_size(h, &size))
		return false;
	data = malloc(size ? size : 1);
	ok = data && !api->cubin(h, data);
	if (ok)
		poly_str_addn(cubin, data, size);
	free(data);
	return ok && !cubin->failed;
}

/* Report what the library says is wrong with the PTX. */
static isl_stat rejected(const struct api *api, handle h,
	struct poly_report *report)
{
	struct poly_str text = { 0 };

	add_log(h, api->error_size, api->error, &text);
	poly_report_add(report, MSG_NVPTX_ASSEMBLY, NULL, "nvJitLink",
		text.len ? text.s : "it gives no reason");
	poly_str_free(&text);
	return isl_stat_error;
}

static isl_stat cannot_run(const char *why, struct poly_report *report)
{
	poly_report_add(report, MSG_NVPTX_ASSEMBLER, NULL, "nvJitLink", why);
	return isl_stat_error;
}

/* Have "h" make a cubin of "ptx", whose NUL belongs to it here; "log" gets what
 * the library says of the kernels.
 */
static isl_stat assemble(const struct api *api, handle h,
	const struct poly_str *ptx, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report)
{
	if (api->add_data(h, INPUT_PTX, ptx->s, ptx->len + 1, "kernel.ptx") ||
			api->complete(h))
		return rejected(api, h, report);
	add_log(h, api->info_size, api->info, log);
	if (!take_cubin(api, h, cubin))
		return cannot_run("it returned no cubin", report);
	return isl_stat_ok;
}

isl_stat nvptx_jitlink(void *library, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report)
{
	const char *missing, *option[3];
	struct api api;
	char arch[32], text[64];
	handle h = NULL;
	isl_stat result;

	if (!load(library, &api, &missing)) {
		snprintf(text, sizeof(text), "it lacks nvJitLink%s", missing);
		return cannot_run(text, report);
	}
	snprintf(arch, sizeof(arch), "-arch=%s", target->name);
	option[0] = arch;
	option[1] = "-verbose";
	option[2] = "-lineinfo";
	if (api.create(&h, 3, option)) {
		snprintf(text, sizeof(text), "it does not know %s",
			target->name);
		return cannot_run(text, report);
	}
	result = assemble(&api, h, ptx, cubin, log, report);
	api.destroy(&h);
	return result;
}

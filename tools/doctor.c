/* The verb doctor: what compiling and running find on this machine, and what
 * the absence of each costs. One row a part, its name in front; further lines
 * of the row are indented.
 */
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/cache.h"
#include "tools/lib/object/object.h"
#include "tools/doctor.h"

/* Where the text of a row begins. */
enum { DOCTOR_COLUMN = 12 };

/* The newest PTX that the driver of each version of CUDA accepts. An older one
 * accepts none that we write.
 *
 * The driver's version comes as one number.
 */
static const struct {
	int cuda, ptx;	/* 12080 is 12.8, 87 is 8.7 */
} accepted[] = {
	{ 11080, 78 }, { 12000, 80 }, { 12010, 81 }, { 12020, 82 },
	{ 12030, 83 }, { 12040, 84 }, { 12050, 85 }, { 12060, 85 },
	{ 12070, 86 }, { 12080, 87 }, { 12090, 88 }, { 13000, 90 },
	{ 13010, 91 },
};
enum { N_ACCEPTED = sizeof(accepted) / sizeof(accepted[0]) };

/* The variables of the environment that have a meaning, by the table that the
 * manual is made from.
 */
static const char *const variables[] = {
#define ENVIRONMENT(name, help) name,
#include "tools/environment.def"
#undef ENVIRONMENT
};
enum { N_VARIABLE = sizeof(variables) / sizeof(variables[0]) };

/* Long texts are wrapped below themselves. Without memory that is what the row
 * says.
 */
void tool_doctor_row(const char *name, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	printf("%-*s", DOCTOR_COLUMN, name);
	tool_print_wrapped(n < 0 ? "not enough memory" : text, DOCTOR_COLUMN,
		DOCTOR_COLUMN);
	if (n >= 0)
		free(text);
}

/* A row with what the runtime has to say of the failure "s".
 *
 * The status has a text, and sometimes a reason.
 */
static void print_failure(const char *name, enum cetane_status s)
{
	const char *detail = cetane_last_error();

	tool_doctor_row(name, "%s%s%s", cetane_status_text(s), *detail ? ": " : "",
		detail);
}

/* ----------------------------------------------------------- the GPU side */

/* All that a program needs to run there. */

/* The PTX version that a driver of that version accepts; 0: too old.
 *
 * The last row that is not newer than the driver.
 */
static int accepted_ptx(int cuda)
{
	int i, ptx = 0;

	for (i = 0; i < N_ACCEPTED; i++)
		if (accepted[i].cuda <= cuda)
			ptx = accepted[i].ptx;
	return ptx;
}

/* What code for a device of that capability the driver takes.
 *
 * What tool_choose_target() takes is what "run" compiles for.
 */
static void print_target(int capability, int cuda)
{
	const struct nvptx_target *t = tool_choose_target(capability);
	int ptx = accepted_ptx(cuda);

	if (!t) {
		tool_doctor_row("", "older than every known architecture");
		return;
	}
	tool_doctor_row("", "--arch=%s fits; its PTX %d.%d is %s", t->name,
		t->ptx / 10, t->ptx % 10, t->ptx <= ptx ? "accepted" :
		"too new for the driver: only cubins load");
}

/* True if the device can be used.
 *
 * A device may be there and yet not open.
 */
static bool examine_device(int i, int cuda)
{
	struct cetane_device *dev;
	char name[32];
	size_t size = 0;
	enum cetane_status s;

	snprintf(name, sizeof(name), "cuda:%d", i);
	s = cetane_cuda_memory(i, &size);
	if (s == CETANE_OK)
		s = cetane_device_open(name, &dev);
	/* Its row says why; the others are still looked at. */
	if (s != CETANE_OK) {
		print_failure(name, s);
		tool_doctor_row("", "it cannot be used");
		return false;
	}
	tool_doctor_row(name, "%s, capability %d.%d, %zu MiB",
		cetane_device_name(dev), cetane_device_capability(dev) / 10,
		cetane_device_capability(dev) % 10, size >> 20);
	print_target(cetane_device_capability(dev), cuda);
	cetane_device_close(dev);
	return true;
}

/* A driver newer than the table accepts at least what its last row says. */
static void print_driver(int cuda, const char *library)
{
	int ptx = accepted_ptx(cuda);

	tool_doctor_row("driver", "%s, CUDA %d.%d", library, cuda / 1000,
		cuda % 1000 / 10);
	if (!ptx)
		tool_doctor_row("", "too old for PTX of this compiler (7.8): only "
			"cubins load");
	else
		tool_doctor_row("", "accepts PTX up to %d.%d%s", ptx / 10, ptx % 10,
			cuda > accepted[N_ACCEPTED - 1].cuda ?
			" at least" : "");
}

/* True if a GPU can be used.
 *
 * Without a driver there are no devices to count.
 */
static bool examine_gpus(void)
{
	const char *library;
	int cuda, i, n = 0, usable = 0;
	enum cetane_status s = cetane_cuda_driver(&cuda, &library);

	if (s != CETANE_OK) {
		print_failure("driver", s);
		tool_doctor_row("", "without it nothing runs on a GPU");
		return false;
	}
	print_driver(cuda, library);
	s = cetane_cuda_count(&n);
	if (s != CETANE_OK)
		print_failure("devices", s);
	else if (n == 0)
		tool_doctor_row("devices", "none");
	for (i = 0; i < n; i++)
		usable += examine_device(i, cuda);
	return usable > 0;
}

/* ------------------------------------------------------ the compiler side */

/* What is missing here limits which outputs there are, and not whether programs
 * run.
 */

/* Where it is looked for stands in the row if it is not found. */
static void print_ptxas(const struct nvptx_found *f)
{
	if (f->ptxas && f->ptxas_version) {
		tool_doctor_row("ptxas", "%s, version %s", f->ptxas,
			f->ptxas_version);
	} else if (f->ptxas) {
		tool_doctor_row("ptxas", "%s does not tell its version", f->ptxas);
		tool_doctor_row("", "cubins may fail; CETANE_PTXAS names another");
	} else {
		tool_doctor_row("ptxas", "not found (CETANE_PTXAS, PATH, "
			"/usr/local/cuda*/bin)");
		tool_doctor_row("", f->jitlink ? "cubins are made by nvJitLink" :
			"without it no cubins and no counts of registers; "
			"the driver assembles PTX when it is loaded");
	}
}

/* The row says what it is for, whichever of both assemblers is there. */
static void print_jitlink(const struct nvptx_found *f)
{
	if (f->jitlink)
		tool_doctor_row("nvJitLink", "%s, version %s", f->jitlink,
			f->jitlink_version ? f->jitlink_version : "unknown");
	else
		tool_doctor_row("nvJitLink", "not found (%s)",
			f->jitlink_tried.s ? f->jitlink_tried.s : "");
	if (f->ptxas)
		tool_doctor_row("", "used only where there is no ptxas");
	else if (!f->jitlink)
		tool_doctor_row("", "it could make cubins in place of ptxas");
}

/* It is looked for all the same, and the row says that it is not needed. */
static void print_libdevice(void)
{
	static const char pattern[] =
		"/usr/local/cuda*/nvvm/libdevice/libdevice.10.bc";
	glob_t g;

	errno = 0;
	if (glob(pattern, 0, NULL, &g) == 0) {
		tool_doctor_row("libdevice", "%s", g.gl_pathv[0]);
		globfree(&g);
	} else {
		tool_doctor_row("libdevice", "%s (%s)", errno == ENOMEM ?
			"not looked for, for want of memory" : "not found",
			pattern);
	}
	tool_doctor_row("", "not needed: the functions are the compiler's own");
}

/* What preprocesses C files; tool_doctor asks whether there was memory for it.
 *
 * $CC is asked first, as the reading of C does.
 */
static void print_preprocessor(void)
{
	const char *wanted = getenv("CC");
	const char *name = wanted && *wanted ? wanted : "cc";
	char *path = nvptx_path_find(name);

	poly_memory_refused();
	if (path && access(path, X_OK) == 0)
		tool_doctor_row("cc", "%s", path);
	else
		tool_doctor_row("cc", "%s not found (CC, PATH): files of C cannot "
			"be read, but preprocessed ones (.i)", name);
	free(path);
}

/* Why nothing can be kept in "folder"; NULL: it can. */
static const char *cache_error(const char *folder)
{
	char *above = strdup(folder);
	struct stat st;
	int error = 0;

	if (!above)
		return "out of memory";
	if (stat(folder, &st) == 0)
		error = !S_ISDIR(st.st_mode) ? ENOTDIR :
			access(folder, W_OK | X_OK) < 0 ? errno : 0;
	else if (errno != ENOENT || access(dirname(above), W_OK | X_OK) < 0)
		error = errno;
	free(above);
	return error ? strerror(error) : NULL;
}

/* A cache that cannot be written is none, and nothing else says so: a compilation has
 * succeeded without it.
 */
static void print_cache(void)
{
	const char *folder = getenv("CETANE_CACHE_DIR"), *why;
	struct tool_cache_list list;

	if (!folder || !*folder) {
		tool_doctor_row("cache", "none: CETANE_CACHE_DIR names a folder "
			"for one");
		return;
	}
	why = cache_error(folder);
	tool_cache_read_folder(&list);
	if (why)
		tool_doctor_row("cache", "nothing can be kept in %s: %s", folder,
			why);
	else
		tool_doctor_row("cache", "%s, %d entries", folder, list.n);
	tool_cache_free(&list);
}

/* False, having said so, without memory.
 *
 * Versions of what is linked in follow those of what is called.
 */
static bool examine_compiler(void)
{
	struct nvptx_found found;
	char isl[64];
	int i;

	if (!nvptx_find(&found, true)) {
		tool_no_memory("what compiles here");
		nvptx_found_free(&found);
		return false;
	}
	print_ptxas(&found);
	print_jitlink(&found);
	print_libdevice();
	print_preprocessor();
	tool_isl_version(isl, sizeof(isl));
	tool_doctor_row("LLVM", "version %s", found.llvm);
	tool_doctor_row("isl", "version %s", isl);
	nvptx_found_free(&found);
	print_cache();
	/* Only variables that are set are shown. */
	for (i = 0; i < N_VARIABLE; i++)
		if (getenv(variables[i]))
			tool_doctor_row("environment", "%s=%s", variables[i],
				getenv(variables[i]));
	return true;
}

/* The last lines: whether a GPU can be used, and which outputs can be made. */
static void print_last(bool usable, const char *outputs)
{
	struct poly_str text = { 0 };

	if (usable)
		poly_str_printf(&text, "A GPU can be used. %s.", outputs);
	else
		poly_str_printf(&text, "No GPU can be used. %s, and "
			"--device=host runs the same kernels on the CPU.",
			outputs);
	tool_print_wrapped(text.s ? text.s : outputs, 0, 0);
	poly_str_free(&text);
}

/* All rows are printed before the exit code is decided. */
enum tool_exit tool_doctor(void)
{
	bool usable;
	char *outputs;

	tool_doctor_row("cetane", "version %s", CETANE_VERSION);
	usable = examine_gpus();
	if (!examine_compiler())
		return TOOL_ENVIRONMENT;
	outputs = tool_doctor_outputs();
	if (!outputs || poly_memory_refused()) {
		free(outputs);
		return tool_no_memory("what can be made here");
	}
	printf("\n");
	print_last(usable, outputs);
	free(outputs);
	return usable ? TOOL_OK : TOOL_ENVIRONMENT;
}

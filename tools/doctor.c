/* The verb doctor: what compiling and running find on this machine, and what
 * the absence of each costs. One row a part, its name in front; further lines
 * of the row are indented.
 */
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/option.h"
#include "tools/tools.h"

enum { DOCTOR_COLUMN = 12 };

/* The newest PTX that the driver of each version of CUDA accepts. An older one
 * accepts none that we write.
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

static const char *const variables[] = {
#define ENVIRONMENT(name, help) name,
#include "tools/environment.def"
#undef ENVIRONMENT
};
enum { N_VARIABLE = sizeof(variables) / sizeof(variables[0]) };

/* One row; an empty "name" goes on with the row above. */
static void print_row(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void print_row(const char *name, const char *fmt, ...)
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

/* A row with what the runtime has to say of the failure "s". */
static void print_failure(const char *name, enum cetane_status s)
{
	const char *detail = cetane_last_error();

	print_row(name, "%s%s%s", cetane_status_text(s), *detail ? ": " : "",
		detail);
}

/* ----------------------------------------------------------- the GPU side */

/* The PTX version that a driver of that version accepts; 0: too old. */
static int accepted_ptx(int cuda)
{
	int i, ptx = 0;

	for (i = 0; i < N_ACCEPTED; i++)
		if (accepted[i].cuda <= cuda)
			ptx = accepted[i].ptx;
	return ptx;
}

/* What code for a device of that capability the driver takes. */
static void print_target(int capability, int cuda)
{
	const struct nvptx_target *t = tool_choose_target(capability);
	int ptx = accepted_ptx(cuda);

	if (!t) {
		print_row("", "older than every known architecture");
		return;
	}
	print_row("", "--arch=%s fits; its PTX %d.%d is %s", t->name,
		t->ptx / 10, t->ptx % 10, t->ptx <= ptx ? "accepted" :
		"too new for the driver: only cubins load");
}

/* True if the device can be used. */
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
	if (s != CETANE_OK) {
		print_failure(name, s);
		print_row("", "it cannot be used");
		return false;
	}
	print_row(name, "%s, capability %d.%d, %zu MiB",
		cetane_device_name(dev), cetane_device_capability(dev) / 10,
		cetane_device_capability(dev) % 10, size >> 20);
	print_target(cetane_device_capability(dev), cuda);
	cetane_device_close(dev);
	return true;
}

static void print_driver(int cuda, const char *library)
{
	int ptx = accepted_ptx(cuda);

	print_row("driver", "%s, CUDA %d.%d", library, cuda / 1000,
		cuda % 1000 / 10);
	if (!ptx)
		print_row("", "too old for PTX of this compiler (7.8): only "
			"cubins load");
	else
		print_row("", "accepts PTX up to %d.%d%s", ptx / 10, ptx % 10,
			cuda > accepted[N_ACCEPTED - 1].cuda ?
			" at least" : "");
}

/* True if a GPU can be used. */
static bool examine_gpus(void)
{
	const char *library;
	int cuda, i, n = 0, usable = 0;
	enum cetane_status s = cetane_cuda_driver(&cuda, &library);

	if (s != CETANE_OK) {
		print_failure("driver", s);
		print_row("", "without it nothing runs on a GPU");
		return false;
	}
	print_driver(cuda, library);
	s = cetane_cuda_count(&n);
	if (s != CETANE_OK)
		print_failure("devices", s);
	else if (n == 0)
		print_row("devices", "none");
	for (i = 0; i < n; i++)
		usable += examine_device(i, cuda);
	return usable > 0;
}

/* ------------------------------------------------------ the compiler side */

static void print_ptxas(const struct nvptx_found *f)
{
	if (f->ptxas && f->ptxas_version) {
		print_row("ptxas", "%s, version %s", f->ptxas,
			f->ptxas_version);
	} else if (f->ptxas) {
		print_row("ptxas", "%s does not tell its version", f->ptxas);
		print_row("", "cubins may fail; CETANE_PTXAS names another");
	} else {
		print_row("ptxas", "not found (CETANE_PTXAS, PATH, "
			"/usr/local/cuda*/bin)");
		print_row("", f->jitlink ? "cubins are made by nvJitLink" :
			"without it no cubins and no counts of registers; "
			"the driver assembles PTX when it is loaded");
	}
}

static void print_jitlink(const struct nvptx_found *f)
{
	if (f->jitlink)
		print_row("nvJitLink", "%s, version %s", f->jitlink,
			f->jitlink_version ? f->jitlink_version : "unknown");
	else
		print_row("nvJitLink", "not found (%s)",
			f->jitlink_tried.s ? f->jitlink_tried.s : "");
	if (f->ptxas)
		print_row("", "used only where there is no ptxas");
	else if (!f->jitlink)
		print_row("", "it could make cubins in place of ptxas");
}

static void print_libdevice(void)
{
	static const char pattern[] =
		"/usr/local/cuda*/nvvm/libdevice/libdevice.10.bc";
	glob_t g;

	errno = 0;
	if (glob(pattern, 0, NULL, &g) == 0) {
		print_row("libdevice", "%s", g.gl_pathv[0]);
		globfree(&g);
	} else {
		print_row("libdevice", "%s (%s)", errno == ENOMEM ?
			"not looked for, for want of memory" : "not found",
			pattern);
	}
	print_row("", "not needed: the functions are the compiler's own");
}

/* False, having said so, without memory. */
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
	tool_isl_version(isl, sizeof(isl));
	print_row("LLVM", "version %s", found.llvm);
	print_row("isl", "version %s", isl);
	nvptx_found_free(&found);
	for (i = 0; i < N_VARIABLE; i++)
		if (getenv(variables[i]))
			print_row("environment", "%s=%s", variables[i],
				getenv(variables[i]));
	return true;
}

enum tool_exit tool_doctor(void)
{
	bool usable;

	print_row("cetane", "version %s", CETANE_VERSION);
	usable = examine_gpus();
	if (!examine_compiler())
		return TOOL_ENVIRONMENT;
	printf("\n");
	tool_print_wrapped(usable ? "A GPU can be used." : "No GPU can be "
		"used. Compiling works, and --device=host runs the same "
		"kernels on the CPU.", 0, 0);
	return usable ? TOOL_OK : TOOL_ENVIRONMENT;
}

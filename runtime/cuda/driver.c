/* The CUDA driver, opened at run time.
 *
 * No CUDA header is needed to build and no driver to start: the library is
 * opened on first use and its entry points are looked up from driver.def. A
 * success is kept for the life of the process; a failure is not, so that a
 * program may try again. The environment variable CETANE_DRIVER, an absolute
 * path, replaces the usual names; it is ignored in set-user-id programs.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/cuda/cuda.h"

/* Results of the driver that have a status of their own.
 *
 * CUresult, a part of the driver's ABI. What is not here is
 * CETANE_DRIVER_ERROR, with the driver's own words.
 */
static const struct {
	int result;
	enum cetane_status status;
} status_of[] = {
	{ 1, CETANE_INVALID_VALUE },	/* INVALID_VALUE */
	{ 2, CETANE_OUT_OF_MEMORY },	/* OUT_OF_MEMORY */
	{ 34, CETANE_NO_DRIVER },	/* STUB_LIBRARY */
	{ 100, CETANE_NO_DEVICE },	/* NO_DEVICE */
	{ 101, CETANE_NO_DEVICE },	/* INVALID_DEVICE */
	{ 200, CETANE_INVALID_IMAGE },	/* INVALID_IMAGE */
	{ 209, CETANE_INVALID_IMAGE },	/* NO_BINARY_FOR_GPU */
	{ 214, CETANE_DEVICE_LOST },	/* ECC_UNCORRECTABLE */
	{ 218, CETANE_INVALID_IMAGE },	/* INVALID_PTX */
	{ 220, CETANE_DEVICE_LOST },	/* NVLINK_UNCORRECTABLE */
	{ 221, CETANE_INVALID_IMAGE },	/* JIT_COMPILER_NOT_FOUND */
	{ 222, CETANE_INVALID_IMAGE },	/* UNSUPPORTED_PTX_VERSION */
	{ 500, CETANE_NOT_FOUND },	/* NOT_FOUND */
	{ 600, CETANE_NOT_READY },	/* NOT_READY */
	{ 700, CETANE_LAUNCH_FAILED },	/* ILLEGAL_ADDRESS */
	{ 701, CETANE_OUT_OF_RESOURCES },	/* LAUNCH_OUT_OF_RESOURCES */
	{ 702, CETANE_LAUNCH_FAILED },	/* LAUNCH_TIMEOUT */
	{ 714, CETANE_LAUNCH_FAILED },	/* HARDWARE_STACK_ERROR */
	{ 715, CETANE_LAUNCH_FAILED },	/* ILLEGAL_INSTRUCTION */
	{ 716, CETANE_LAUNCH_FAILED },	/* MISALIGNED_ADDRESS */
	{ 717, CETANE_LAUNCH_FAILED },	/* INVALID_ADDRESS_SPACE */
	{ 718, CETANE_LAUNCH_FAILED },	/* INVALID_PC */
	{ 719, CETANE_LAUNCH_FAILED },	/* LAUNCH_FAILED */
};

/* for the two below */
static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;
/* complete once driver_ready is 1, and never changed again */
static struct cetane_rt_driver the_driver;
static int driver_ready;

/* The message has the call, the driver's name of the result, its number and its
 * text. Of codes that the driver does not know, name and text stay NULL.
 */
enum cetane_status cetane_rt_driver_status(
	const struct cetane_rt_driver *driver, const char *what, int r)
{
	enum cetane_status s = CETANE_DRIVER_ERROR;
	const char *name = NULL, *text = NULL;
	size_t i;

	if (r == 0)
		return CETANE_OK;
	for (i = 0; i < sizeof(status_of) / sizeof(status_of[0]); i++)
		if (status_of[i].result == r)
			s = status_of[i].status;
	driver->error_name(r, &name);
	driver->error_string(r, &text);
	return cetane_rt_fail(s, "%s: %s (%d): %s", what,
		name ? name : "unknown error", r,
		text ? text : cetane_status_text(s));
}

/* Open the library; on failure set the last error.
 *
 * The usual name first is that of the installed driver; the one without a
 * number is the stub of the toolkit, or of old installations.
 */
static void *open_library(enum cetane_status *s)
{
	const char *path = secure_getenv("CETANE_DRIVER");
	char why[400];
	void *lib;

	/* a relative path would depend on where the program is started */
	if (path && path[0] != '/') {
		*s = cetane_rt_fail(CETANE_NO_DRIVER,
			"CETANE_DRIVER is not an absolute path: %s", path);
		return NULL;
	}
	if (path) {
		lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!lib)
			*s = cetane_rt_fail(CETANE_NO_DRIVER,
				"no CUDA driver: %s", dlerror());
		return lib;
	}
	lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (lib)
		return lib;
	snprintf(why, sizeof(why), "%s", dlerror());
	lib = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		*s = cetane_rt_fail(CETANE_NO_DRIVER,
			"no CUDA driver: tried libcuda.so.1 (%s), "
			"libcuda.so (%s)", why, dlerror());
	return lib;
}

/* Store at "slot", the place of a function pointer, the entry point "name".
 * ISO C has no cast from void * to a function pointer, hence the copy.
 *
 * OPTIONAL entry points are NULL if there is none, and who uses one asks.
 */
static enum cetane_status look_up(void *lib, const char *name, void *slot)
{
	void *sym = dlsym(lib, name);

	if (!sym)
		return cetane_rt_fail(CETANE_DRIVER_TOO_OLD,
			"the CUDA driver has no entry point %s", name);
	memcpy(slot, &sym, sizeof(sym));
	return CETANE_OK;
}

/* The same for an entry point that older drivers lack. */
static void look_up_optional(void *lib, const char *name, void *slot)
{
	void *sym = dlsym(lib, name);

	memcpy(slot, &sym, sizeof(sym));
}

/* Open the library and fill "d". A library that has begun to initialise is
 * not unloaded again.
 *
 * cuInit is the first call; a second one, after a failure, is allowed.
 */
static enum cetane_status load_entries(struct cetane_rt_driver *d)
{
	enum cetane_status s = CETANE_OK;
	void *lib;

	lib = open_library(&s);
	if (!lib)
		return s;
#define DRIVER(name, symbol, params) \
	if (s == CETANE_OK) \
		s = look_up(lib, #symbol, &d->name);
#define OPTIONAL(name, symbol, params) \
	look_up_optional(lib, #symbol, &d->name);
#include "runtime/cuda/driver.def"
#undef DRIVER
#undef OPTIONAL
	if (s == CETANE_OK)
		return cetane_rt_driver_status(d, "cuInit", d->init(0));
	dlclose(lib);
	return s;
}

/* Later calls cost a lock and no more. */
enum cetane_status cetane_rt_driver_open(
	const struct cetane_rt_driver **driver)
{
	enum cetane_status s = CETANE_OK;

	pthread_mutex_lock(&driver_lock);
	if (!driver_ready)
		s = load_entries(&the_driver);
	if (s == CETANE_OK) {
		driver_ready = 1;
		*driver = &the_driver;
	}
	pthread_mutex_unlock(&driver_lock);
	return s;
}

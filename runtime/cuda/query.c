/* Facts about the driver and its devices, for reports.
 *
 * cetane info prints them. Each opens the driver by itself, so they may be the
 * first calls of a process.
 */
#include <dlfcn.h>
#include <string.h>
#include "runtime/cuda/cuda.h"

/* "*version" is 1000 * major + 10 * minor, as CUDA has it; "*library" the file
 * that was opened, owned by the loader.
 */
enum cetane_status cetane_cuda_driver(int *version, const char **library)
{
	const struct cetane_rt_driver *d;
	enum cetane_status s;
	Dl_info info;
	void *entry;
	int v;

	if (!version || !library)
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"cetane_cuda_driver: an argument is NULL");
	s = cetane_rt_driver_open(&d);
	if (s == CETANE_OK)
		s = cetane_rt_driver_status(d, "cuDriverGetVersion",
			d->version(&v));
	if (s != CETANE_OK)
		return s;
	/* ISO C has no cast from a function to void * */
	memcpy(&entry, &d->version, sizeof(entry));
	*version = v;
	*library = dladdr(entry, &info) ? info.dli_fname : "";
	return CETANE_OK;
}

/* Of the device with that ordinal; no context is made. */
enum cetane_status cetane_cuda_memory(int device, size_t *size)
{
	const struct cetane_rt_driver *d;
	enum cetane_status s;
	size_t bytes;
	int handle;

	if (!size)
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"cetane_cuda_memory: an argument is NULL");
	s = cetane_rt_driver_open(&d);
	if (s == CETANE_OK)
		s = cetane_rt_driver_status(d, "cuDeviceGet",
			d->device_get(&handle, device));
	if (s == CETANE_OK)
		s = cetane_rt_driver_status(d, "cuDeviceTotalMem",
			d->total_memory(&bytes, handle));
	if (s == CETANE_OK)
		*size = bytes;
	return s;
}

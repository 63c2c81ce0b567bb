/* libcetane_rt: run compiled kernels on a CUDA GPU or on the host device.
 *
 * The CUDA driver is opened at run time (libcuda.so.1, then libcuda.so); a
 * program that links this library starts on a machine without a GPU.
 * Errors are values; nothing here prints, exits or aborts. All functions are
 * thread-safe for distinct objects; a failed call allocates nothing and
 * leaves outputs untouched. Stream NULL is the device's default stream.
 *
 * On the host device, work on a stream runs when that stream (or an event
 * recorded on it after the work, or the device) is synchronised, in order
 * within the stream; a program that forgets to synchronise, or launches on
 * another stream than it waits for, sees stale memory there, too. Copies use
 * the caller's memory when they run. A failure drops what is queued behind it
 * on its stream and is returned to whoever waited.
 */
#ifndef CETANE_RT_H
#define CETANE_RT_H

#include <stddef.h>
#include <stdint.h>
#include "host_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* status.def: STATUS(value, id, text). */
enum cetane_status {
#define STATUS(value, id, text) CETANE_##id = value,
#include "status.def"
#undef STATUS
};
/* A constant text for "s"; never NULL. */
const char *cetane_status_text(enum cetane_status s);

struct cetane_device;
struct cetane_module;
struct cetane_function;
struct cetane_stream;
struct cetane_event;

/* Detail of the last failure on the calling thread: what the driver said,
 * which library names were tried. "" if there was none.
 */
const char *cetane_last_error(void);

/* Number of CUDA devices; CETANE_NO_DRIVER without a driver library. */
enum cetane_status cetane_cuda_count(int *n);
/* The version of CUDA that the driver speaks (12080: 12.8) and the path of its
 * library, a text that lives as long as the process.
 */
enum cetane_status cetane_cuda_driver(int *version, const char **library);
/* Bytes of memory of CUDA device number "device". */
enum cetane_status cetane_cuda_memory(int device, size_t *size);
/* "host", "cuda" (device 0) or "cuda:N". */
enum cetane_status cetane_device_open(const char *name,
	struct cetane_device **dev);
void cetane_device_close(struct cetane_device *dev);
/* 10 * major + minor of a CUDA device, 0 for the host device. */
int cetane_device_capability(const struct cetane_device *dev);
const char *cetane_device_name(const struct cetane_device *dev);
enum cetane_status cetane_device_synchronize(struct cetane_device *dev);

/* Where the functions of compiled objects (NAME, NAME_load and the like) run
 * when the calling thread calls them: on "dev", or, with NULL as at the start
 * of each thread, in the CUDA context that is current there. Before "dev" is
 * closed, the threads that use it must choose another or NULL; closing does
 * that for the thread that closes, and unloads what was loaded on "dev".
 */
enum cetane_status cetane_device_use(struct cetane_device *dev);

/* A cubin, fatbin or NUL-terminated PTX. CUDA devices only. */
enum cetane_status cetane_module_load(struct cetane_device *dev,
	const void *image, size_t size, struct cetane_module **mod);
/* Host device: kernels by name. "site" (may be NULL) describes access sites
 * for messages of checked code. Pointers must outlive the module.
 */
enum cetane_status cetane_module_from_host(struct cetane_device *dev,
	const char *const *name, const cetane_host_kernel *kernel, int n,
	const char *const *site, int n_site, struct cetane_module **mod);
/* The module is gone, even if this returns what failed on the way: work that
 * was queued, or the driver.
 */
enum cetane_status cetane_module_unload(struct cetane_module *mod);
enum cetane_status cetane_module_function(struct cetane_module *mod,
	const char *name, struct cetane_function **fn);
/* Host device: the sizes in bytes of the arguments of "fn", so that a launch
 * can copy them; needed once before the first launch with arguments. A CUDA
 * kernel knows its own; there, the call succeeds and does nothing.
 */
enum cetane_status cetane_function_set_args(struct cetane_function *fn,
	const size_t *size, int n);

/* Device addresses. Size 0 gives address 0. */
typedef uint64_t cetane_ptr;
enum cetane_status cetane_malloc(struct cetane_device *dev, size_t size,
	cetane_ptr *ptr);
enum cetane_status cetane_free(struct cetane_device *dev, cetane_ptr ptr);
enum cetane_status cetane_copy_to_device(struct cetane_device *dev,
	cetane_ptr dst, const void *src, size_t size,
	struct cetane_stream *stream);
enum cetane_status cetane_copy_from_device(struct cetane_device *dev,
	void *dst, cetane_ptr src, size_t size, struct cetane_stream *stream);
enum cetane_status cetane_memset(struct cetane_device *dev, cetane_ptr dst,
	unsigned char value, size_t size, struct cetane_stream *stream);

enum cetane_status cetane_stream_create(struct cetane_device *dev,
	struct cetane_stream **stream);
void cetane_stream_destroy(struct cetane_stream *stream);
enum cetane_status cetane_stream_synchronize(struct cetane_device *dev,
	struct cetane_stream *stream);
enum cetane_status cetane_event_create(struct cetane_device *dev,
	struct cetane_event **event);
void cetane_event_destroy(struct cetane_event *event);
enum cetane_status cetane_event_record(struct cetane_event *event,
	struct cetane_stream *stream);
enum cetane_status cetane_event_synchronize(struct cetane_event *event);
/* Milliseconds between two recorded and completed events. */
enum cetane_status cetane_event_elapsed(struct cetane_event *start,
	struct cetane_event *stop, float *ms);

/* grid and block in x, y, z; "args" as for cuLaunchKernel, copied. A zero
 * grid dimension succeeds and runs nothing.
 */
enum cetane_status cetane_launch(struct cetane_function *fn,
	const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
	struct cetane_stream *stream, void **args);

/* Host device only: checks of kernels compiled with checks. */
enum {
	CETANE_CHECK_BOUNDS = 1,
	CETANE_CHECK_INIT = 2,
	CETANE_CHECK_RACE = 4
};
/* Choose the checks and the seed for the order in which fibers run, for the
 * launches that follow. Memory that was allocated while CETANE_CHECK_INIT was
 * off counts as initialised.
 */
enum cetane_status cetane_host_configure(struct cetane_device *dev,
	unsigned checks, uint64_t seed);
/* Findings since the device was opened or last cleared: their number and the
 * text of the i-th (at most 64 are kept), such as
 * "race in kernel k0, block (0,1,0): thread 3 reads shared byte 128 at
 *  gemm.dsl:4: D, thread 7 wrote it at ...". A barrier that not all threads
 * reach is a finding and makes the launch fail with CETANE_DEADLOCK.
 */
int cetane_host_findings(struct cetane_device *dev);
const char *cetane_host_finding(struct cetane_device *dev, int i);
void cetane_host_clear(struct cetane_device *dev);

#ifdef __cplusplus
}
#endif
#endif

/* What an object made by the compiler and libcetane_rt agree on.
 *
 * An object has one constant container (image.h), the host device's kernels
 * as functions, and one struct cetane_program that refers to both; its
 * functions NAME, NAME_load and so on only gather their arguments and call
 * the functions below. A change of the struct, of these prototypes or of the
 * container is a new ABI number.
 */
#ifndef CETANE_PROGRAM_H
#define CETANE_PROGRAM_H

#include <stdint.h>
#include "host_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cetane_instance;

/* "kernel" has one function for each kernel of the host image's record, in
 * its order. "instance" is the runtime's own; NULL at the start.
 */
struct cetane_program {
	uint32_t abi;
	uint32_t n_kernel;
	const void *container;
	uint64_t size;
	const cetane_host_kernel *kernel;
	struct cetane_instance *instance;
};

/* All return an enum cetane_status, except for cetane_program_workspace; the
 * reason of a failure is in cetane_last_error().
 *
 * The program is loaded once for each device or CUDA context, the one that
 * the calling thread uses (cetane_device_use); loading what is loaded, and
 * unloading what is not, succeeds. After an unload the program is not loaded,
 * even if that returns what the driver, or work that was queued, failed with. Any number of threads may call these at the
 * same time. The caller waits for the kernels it launched before it unloads,
 * and unloads before it unloads a shared library that has the object.
 */
int cetane_program_load(struct cetane_program *p);
int cetane_program_unload(struct cetane_program *p);
/* Bytes that the workspace must have for these sizes, whatever the device;
 * -1 on failure.
 */
int64_t cetane_program_workspace(const struct cetane_program *p,
	const int64_t *size);
/* Load if that was not done, and launch all kernels in order. "array" has the
 * inputs and the outputs. "stream" is a CUstream, or a struct cetane_stream *
 * of the device that cetane_device_use has set. With "checked", pointers are
 * verified first. On a GPU nothing is allocated unless the program is loaded,
 * and nothing waits.
 */
int cetane_program_launch(struct cetane_program *p, void *stream,
	const int64_t *size, void *const *array, void *workspace,
	int32_t checked);
/* Fail: the program "name" was compiled for sizes with "assumed", and was called with
 * others.
 */
int cetane_program_refuse(const char *name, const char *assumed);
/* Run the program on arrays of the host, and wait: copies in what it reads and
 * out what it wrote, which stays untouched on failure. "array" has the inputs
 * and the outputs, which are verified. A thread that has no current context
 * and uses no device gets that of $CETANE_DEVICE ("host", "cuda:1"), or else
 * the first GPU, or if there is none the host device. Unless "valid", the sizes
 * are not as the program assumes, which "assumed" tells.
 */
int cetane_program_call(struct cetane_program *p, const int64_t *size,
	void *const *array, int32_t valid, const char *assumed);

/* Where an array of the program lies in memory of the host if its elements are
 * members of structures: "n" in each structure, at the bytes "offset", and one
 * structure every "pitch" bytes. Those with the same number "of" are members of
 * the same structures. A pitch of 0: the array lies there as it is.
 */
struct cetane_program_layout {
	int64_t pitch, n, of;
	const int64_t *offset;
};
/* The same with one layout for each array. */
int cetane_program_call_members(struct cetane_program *p, const int64_t *size,
	void *const *array, int32_t valid, const char *assumed,
	const struct cetane_program_layout *layout);

#ifdef __cplusplus
}
#endif
#endif

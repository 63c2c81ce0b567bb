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

#include <stddef.h>
#include <stdint.h>
#include "cetane_rt.h"
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
/* Unload the program on every device and in every context that it is loaded for. */
void cetane_program_unload_all(struct cetane_program *p);
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
/* The same with arrays that have gaps: "stride" has, for each array, how many elements
 * lie from one index to the next, of each dimension but the last; NULL, or a negative
 * one: there are no gaps. An array that the program was not compiled to take so has one
 * that does not count.
 */
int cetane_program_launch_strided(struct cetane_program *p, void *stream,
	const int64_t *size, const int64_t *stride, void *const *array,
	void *workspace, int32_t checked);
/* cetane_program_launch with one argument, for callers to which each takes time, such as
 * interpreters: "record" has the program, the stream, the sizes, the workspace, and behind
 * them the arrays. Pointers are not verified.
 */
int cetane_program_launch_record(void *const *record);
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

/* Run the program on inputs that are made up, where the calling thread's programs run,
 * and compare elements of its outputs with what they must be: CETANE_MISMATCH, with
 * the first wrong one in the last error. Allocates, and waits. The "n" numbers at
 * "test" are those of the object:
 *
 *	n_case, then for each case
 *		each size
 *		each array: first, last, n_sample, then for each sample
 *			place in row-major order, value, bound
 *
 * Integers of an input are from "first" to "last", unless that is less. A value is an
 * integer, or the bits of a double; what is off by more than the bound, a double,
 * is wrong.
 */
int cetane_program_selftest(struct cetane_program *p, const int64_t *test,
	int64_t n);

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

/* A program out of the "size" bytes of an object, a library or a program that has one,
 * without linking it; the first of several. It runs on GPUs alone, since the code for
 * the host device is not linked: there launches return CETANE_UNSUPPORTED. The bytes
 * are copied. CETANE_BAD_CONTAINER if there is no program. The caller closes it.
 */
enum cetane_status cetane_program_open(const void *bytes, size_t size,
	struct cetane_program **p);
/* Unload the program, wherever it is loaded, and free it. NULL is fine. */
void cetane_program_close(struct cetane_program *p);

/* What a program takes, for callers that learn it when they run, such as bindings of
 * other languages. Texts and arrays belong to the signature.
 */
enum cetane_role {
	CETANE_INPUT = 0, CETANE_OUTPUT = 1,
	CETANE_INOUT = 3	/* its values count, and are replaced */
};
/* A size; one that is "fixed" has been compiled in and has "value". */
struct cetane_signature_size {
	const char *name;
	int32_t fixed;
	int64_t value;
};
/* An array in row-major order without gaps, in the place where launches take it.
 * "type" is a name such as "f32", whose elements have "elem_bytes"; its address is
 * a multiple of "align" bytes. "role" is an enum cetane_role.
 */
struct cetane_signature_array {
	const char *name, *type;
	int32_t role, n_dim, elem_bytes, align;
};
struct cetane_signature {
	const char *name;	/* of the program */
	int32_t n_size, n_array;
	const struct cetane_signature_size *size;
	const struct cetane_signature_array *array;
};
/* The signature of "p", which stays valid without it; the caller frees it. */
enum cetane_status cetane_signature_read(const struct cetane_program *p,
	struct cetane_signature **s);
void cetane_signature_free(struct cetane_signature *s);
/* Find the sizes that belong to arrays of given shapes. "extent" has for each array
 * its n_dim extents in elements, or NULL if they are not known. A size that is not
 * negative at "size" is given, one that is has to follow from an extent; all are
 * there on success. CETANE_INVALID_VALUE, with the array or the size in the last
 * error, if one does not follow or an extent is not what the sizes make it.
 */
enum cetane_status cetane_signature_solve(const struct cetane_signature *s,
	const int64_t *const *extent, int64_t *size);
/* The n_dim extents of array number "array" for such sizes. */
enum cetane_status cetane_signature_extents(const struct cetane_signature *s,
	int array, const int64_t *size, int64_t *extent);
/* How many strides cetane_program_launch_strided takes to heart for array number "array":
 * one for each dimension but the last, or 0 if its elements lie without gaps.
 */
int32_t cetane_signature_strides(const struct cetane_signature *s, int32_t array);

#ifdef __cplusplus
}
#endif
#endif

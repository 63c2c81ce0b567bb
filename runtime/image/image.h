/* The container that an object carries: the images of one program and how to
 * launch each.
 *
 * All numbers are little-endian; nothing is aligned; offsets count from the
 * first byte of the container.
 *
 *	container	magic[8] abi:32 n_image:32 size:64 zero:64
 *			image[n_image], records and data in any order
 *	image		kind:32 capability:32 specific:32 ptx:32
 *			data:64 data_size:64 record:64 record_size:64
 *	record		n_size:32 n_array:32 n_kernel:32 n_version:32 n_step:32
 *			text(program) size[n_size] array[n_array]
 *			kernel[n_kernel] version[n_version] step[n_step]
 *	size		text(name) fixed:32 stride_of:32 value:64
 *	array		text(name) text(type) role:32 elem_bytes:32 align:32
 *			version:32 n_dim:32 formula[n_dim] look:32, of one that is
 *			not 0 also formula(low) formula(high)
 *	kernel		text(name) thread0:32 thread1:32 cluster0:32
 *			cluster1:32 shared_bytes:32 early:32 n_iter:32 n_arg:32
 *			formula(n0) formula(n1) arg[n_arg]
 *	arg		kind:32 index:32, of a MAP also line:32 across:32 rows:32
 *			n_walk:32 walk[n_walk]
 *	walk		before:32 count:32 step:32, "before" 32768 + the first one
 *	version		n_step:32 aligned:32 n_cost:32 formula(condition)
 *			formula[n_cost]
 *	step		kind:32 index:32 n_formula:32 formula[n_formula]
 *	formula		n:32 op[n]
 *	op		code:32 value:64
 *	text(x)		length:32 bytes
 *
 * The data of PTX end in a NUL, so that the driver reads them in place.
 *
 * Each image has a record of its own, since each is scheduled for its own
 * target: blocks, shared memory and temporaries differ. Sizes, inputs and
 * outputs do not.
 */
#ifndef CETANE_IMAGE_H
#define CETANE_IMAGE_H

#include <stdbool.h>
#include "runtime/image/formula.h"
#include "runtime/base/base.h"

enum {
	CETANE_RT_ABI = 15,
	CETANE_RT_WORK_ALIGN = 256,	/* of temporaries and the workspace */
	CETANE_RT_MAX_DIM = 8,
	CETANE_RT_MAX_ROWS = 256,	/* of a box */
	CETANE_RT_HEADER = 32,		/* bytes */
	CETANE_RT_ENTRY = 48
};
#define CETANE_RT_MAGIC "\211CETANE\n"

/* HOST: functions in the object, no data. */
enum cetane_rt_kind { CETANE_RT_HOST, CETANE_RT_CUBIN, CETANE_RT_PTX };
/* INOUT: the caller's values count, and are replaced. */
enum cetane_rt_role {
	CETANE_RT_INPUT, CETANE_RT_OUTPUT, CETANE_RT_TEMP, CETANE_RT_INOUT
};

/* A size; one that is fixed has been compiled in. With "stride_of", it is one of the
 * strides of the array whose number is one less. Those come last, and no extent has them.
 */
struct cetane_rt_size {
	char *name;
	bool fixed;
	int64_t value;
	int stride_of;
};
/* An array in row-major order, whose rows are the last dimension. "type" is a name such as "f32". Its address is a
 * multiple of "align" bytes, if that is not 0. "version": the number of the
 * only version whose temporary it is, from 1; 0: all versions have it. "look": 1 + the number of the
 * kernel that looks for elements that are not from within[0] to within[1], as the program
 * assumes; 0: it assumes nothing of them.
 */
struct cetane_rt_array {
	char *name, *type;
	enum cetane_rt_role role;
	int elem_bytes, n_dim;
	struct cetane_rt_formula extent[CETANE_RT_MAX_DIM];
	int align, version, look;
	struct cetane_rt_formula within[2];
};
/* An argument of 8 bytes: the address of an array and "offset" bytes more, a size, or an
 * iterator of the launch; or COUNT: the address of a temporary whose first four bytes the
 * launch makes 0. All blocks of such a launch are on the device at once. Or CLEAR: that
 * of a temporary of which the launch makes all bytes 0. Or MAP, 128
 * bytes: how an array lies, for copies of boxes of 128 bytes along the last dimension
 * and "rows" elements along the dimension "across", with which those from "line" on are
 * one; or, with walks, of all dimensions between the first and the last one, over pixels.
 */
enum cetane_rt_arg_kind {
	CETANE_RT_ARG_ARRAY, CETANE_RT_ARG_SIZE, CETANE_RT_ARG_ITER,
	CETANE_RT_ARG_COUNT, CETANE_RT_ARG_MAP, CETANE_RT_ARG_CLEAR
};
struct cetane_rt_arg {
	enum cetane_rt_arg_kind kind;
	int index, line, across, rows, n_walk;
	struct cetane_rt_walk walk[CETANE_RT_MOST_WALK];
	int64_t offset;
};
/* A kernel for n[0] x n[1] tiles: the grid is (n1, min(n0, 65535),
 * ceil(n0 / 65535)), the block (thread1, thread0, 1); without a tile there
 * is no launch. "n" depends on sizes and on the "n_iter" iterators that a
 * launch gives. That many neighbouring tiles, cluster[0] x cluster[1], are on the
 * device at once.
 */
struct cetane_rt_kernel {
	char *name;
	struct cetane_rt_formula n[2];
	int thread[2], cluster[2];
	int shared_bytes;	/* dynamic */
	int n_iter;
	struct cetane_rt_arg *arg;
	int n_arg, n_map;
	bool early;		/* its code waits for the launch in front of it */
};
/* One of several ways to run the program: the "n_step" steps from "first" on. It
 * is right for sizes for which "condition" is not 0, and expected to take the
 * last of the values "cost", in any unit; their formulas have the values of
 * those before them as iterators. "aligned": arrays must lie as "align" says.
 */
struct cetane_rt_version {
	struct cetane_rt_formula condition;
	struct cetane_rt_formula cost[CETANE_RT_MAX_ITER];
	int n_cost, first, n_step;
	bool aligned;
};
/* How to launch one image: the steps say which kernels run, in which order; if
 * there are versions, those of the one that is chosen for the sizes. The caller
 * passes the arrays that are not temporaries, in their order here.
 */
struct cetane_rt_record {
	char *program;
	struct cetane_rt_size *size;
	struct cetane_rt_array *array;
	struct cetane_rt_kernel *kernel;
	struct cetane_rt_version *version;
	struct cetane_rt_step *step;
	int n_size, n_array, n_kernel, n_version, n_step;
	uint64_t read;	/* as which record of all it was read; 0: it was made */
};
/* Frees "r", which may be NULL, and all in it. */
void cetane_rt_record_free(struct cetane_rt_record *r);

/* One image. In a container that was read, "data" and "record_bytes" point
 * into its bytes and "record" is NULL; a writer sets "record" instead.
 */
struct cetane_rt_image {
	enum cetane_rt_kind kind;
	int capability;		/* 10 * major + minor; 0 for HOST */
	bool specific;		/* runs on that capability only */
	int ptx;		/* lowest PTX ISA version, 80 = 8.0 */
	const void *data;
	size_t size;
	const void *record_bytes;
	size_t record_size;
	const struct cetane_rt_record *record;
};

/* image.c: reading. Every byte is checked; what is accepted can be used. */

/* The number of images of the container, or CETANE_BAD_CONTAINER. */
enum cetane_status cetane_rt_image_count(const void *container, size_t size,
	int *n);
/* Image "i" of a container that cetane_rt_image_count has accepted. */
enum cetane_status cetane_rt_image_get(const void *container, size_t size,
	int i, struct cetane_rt_image *image);
/* The record of an image; the caller frees it. */
enum cetane_status cetane_rt_record_read(const struct cetane_rt_image *image,
	struct cetane_rt_record **record);
/* The image for a device: of capability 0, the host's; else the cubin made
 * for exactly that capability, else the cubin of the highest capability that
 * is of the same major version and not above the device's, else the PTX of
 * the highest capability that is not above. CETANE_NO_IMAGE, with a list of
 * what there is, if none fits.
 */
enum cetane_status cetane_rt_image_pick(const void *container, size_t size,
	int capability, struct cetane_rt_image *image);

/* image_write.c */

/* The container of "n" images, in memory that the caller frees; NULL without
 * memory.
 */
void *cetane_rt_image_write(const struct cetane_rt_image *image, int n,
	size_t *size);

/* fill.c: are the elements of "a" floats? Fill "data" with "n" elements for array
 * number "number" of a self-test: floats from -1 to 1, integers from "first" to "last",
 * or, if that is less, some small ones.
 */
bool cetane_rt_record_is_float(const struct cetane_rt_array *a);
void cetane_rt_record_fill(const struct cetane_rt_array *a, int number, int64_t n,
	int64_t first, int64_t last, void *data);

/* version.c: the number of the version to run for sizes that
 * cetane_rt_record_check accepts: of those whose condition holds, the first one
 * of the least cost; 0 if there are no versions. Fails if none holds, or if a
 * formula has no value.
 */
enum cetane_status cetane_rt_record_version(const struct cetane_rt_record *r,
	const int64_t *size, int *version);

/* record.c: what a record says for given sizes, one for each of its sizes. */

/* stride.c: how many sizes are no strides. */
int cetane_rt_record_plain(const struct cetane_rt_record *r);
/* The number of the size that is the first stride of array "i", or -1. It has one for
 * each dimension but the last, one behind the other: how many elements lie from one
 * index to the next.
 */
int cetane_rt_record_first_stride(const struct cetane_rt_record *r, int i);
/* All sizes, at "all", of the plain ones and the strides: "stride" has those of each array
 * of the caller that has any, and one that does not count for each other; NULL, or a
 * negative one: no gaps. Fails if plain ones fail cetane_rt_record_check, if a stride is
 * less than a row, or if indices would have one element.
 */
enum cetane_status cetane_rt_record_sizes(const struct cetane_rt_record *r,
	const int64_t *plain, const int64_t *stride, int64_t *all);
/* Do the strides of a record that was read belong to arrays that may have some? */
bool cetane_rt_record_has_strides(const struct cetane_rt_record *r);
/* The extents of array "i"; false if one of them, which gets -1, has no value. The stride
 * of each of its dimensions.
 */
bool cetane_rt_record_extents(const struct cetane_rt_record *r, int i,
	const int64_t *size, int64_t *extent);
void cetane_rt_record_strides(const struct cetane_rt_record *r, int i,
	const int64_t *size, const int64_t *extent, int64_t *stride);
/* The sizes that are no strides are >= 0 and < 2^31, and the fixed ones have their
 * value.
 */
enum cetane_status cetane_rt_record_check(const struct cetane_rt_record *r,
	const int64_t *size);
/* Bytes of array "i", 0 for a temporary of a version that is not chosen; sizes
 * that cetane_rt_record_check accepts.
 */
enum cetane_status cetane_rt_record_bytes(const struct cetane_rt_record *r,
	int i, const int64_t *size, int64_t *bytes);
/* The same if version "version" runs. */
enum cetane_status cetane_rt_record_bytes_of(const struct cetane_rt_record *r,
	int i, const int64_t *size, int version, int64_t *bytes);
/* map.c: the map of the argument "a", a MAP, for the array at "at". */
enum cetane_status cetane_rt_record_map(const struct cetane_rt_record *r,
	const struct cetane_rt_arg *a, const int64_t *size, cetane_ptr at,
	struct cetane_rt_map *map);
/* workspace.c: bytes of the workspace. "offset", which may be NULL, receives for each
 * array that is a temporary its place there, which it may share with another one that
 * holds nothing at the same time; other entries stay.
 */
enum cetane_status cetane_rt_record_layout(const struct cetane_rt_record *r,
	const int64_t *size, cetane_ptr *offset, int64_t *total);
/* The same if version "version" runs. */
enum cetane_status cetane_rt_record_layout_of(const struct cetane_rt_record *r,
	const int64_t *size, int version, cetane_ptr *offset, int64_t *total);
/* The functions of the record's kernels in "mod", ready to be launched. */
enum cetane_status cetane_rt_record_bind(const struct cetane_rt_record *r,
	struct cetane_module *mod, struct cetane_function **fn);
/* Run the record's steps on "stream", of the device of "fn". "array" has
 * the address of each array. Allocates nothing and waits for nothing; launches
 * nothing if one of the grids is too large.
 */
enum cetane_status cetane_rt_record_launch(const struct cetane_rt_record *r,
	struct cetane_function *const *fn, const int64_t *size,
	const cetane_ptr *array, struct cetane_stream *stream);
/* The same; "see" is called before each launch and, "done", behind it, with the number of
 * the kernel. What it returns, if that is not CETANE_OK, ends it all.
 */
struct cetane_rt_watch {
	enum cetane_status (*see)(void *user, int kernel, bool done);
	void *user;
};
enum cetane_status cetane_rt_record_watch(const struct cetane_rt_record *r,
	struct cetane_function *const *fn, const int64_t *size,
	const cetane_ptr *array, struct cetane_stream *stream,
	const struct cetane_rt_watch *watch);
/* within.c: does the program assume anything of what arrays hold? Look at all elements of
 * those of which it does, and wait for that; fails, and tells the first that is not so.
 * What the functions of the arrays' kernels get is not a part of the record's steps.
 */
bool cetane_rt_record_assumes(const struct cetane_rt_record *r);
enum cetane_status cetane_rt_record_within(const struct cetane_rt_record *r,
	struct cetane_function *const *fn, const int64_t *size, const cetane_ptr *array,
	struct cetane_stream *stream);
/* The tiles of kernel "k" by its formulas: rows and columns of its grid, both 0
 * if there is nothing to do. "iter" has its iterators.
 */
enum cetane_status cetane_rt_record_tiles(const struct cetane_rt_kernel *k,
	const int64_t *size, const int64_t *iter, int64_t n[2]);
/* Call "see" for each launch in the order of the steps, as long as it returns
 * CETANE_OK, with the number of the kernel and the values of its iterators. After
 * "most" steps it ends, and sets "more".
 */
struct cetane_rt_visit {
	enum cetane_status (*see)(void *user, int kernel, const int64_t *iter);
	void *user;
	int64_t most;
	bool more;
};
enum cetane_status cetane_rt_record_visit(const struct cetane_rt_record *r,
	const int64_t *size, struct cetane_rt_visit *visit);

#endif

/* What all files of runtime/ share: the records behind the opaque types of
 * cetane_rt.h and the table of operations that each kind of device fills.
 *
 * Every record of a backend starts with the record declared here, so that a
 * call of cetane_rt.h finds the operations of the device without knowing its
 * kind. Names that only the library uses start with cetane_rt_.
 */
#ifndef CETANE_BASE_H
#define CETANE_BASE_H

#include <stdbool.h>
#include "runtime/cetane_rt.h"

#define CETANE_INTERNAL __attribute__((visibility("hidden")))

struct cetane_backend;
struct cetane_rt_lanes;

/* "lanes": streams of the library's own (device/lanes.c); NULL until a program asks for
 * them.
 */
struct cetane_device {
	const struct cetane_backend *ops;
	struct cetane_rt_lanes *lanes;
	int capability;
	char name[256];
};
struct cetane_module {
	struct cetane_device *dev;
};
struct cetane_function {
	struct cetane_module *mod;
};
struct cetane_stream {
	struct cetane_device *dev;
};
struct cetane_event {
	struct cetane_device *dev;
};

/* The shape of one launch; checked by cetane_launch before a backend sees
 * it: no dimension is 0 and all are within the limits of CUDA. "together": all
 * blocks must be on the device at once, as they wait for one another. "cluster": so
 * must that many neighbouring ones along x and y, of which the grid has whole
 * numbers. "early": blocks may begin while the launch in front of theirs ends, for
 * which their code waits.
 */
struct cetane_rt_shape {
	unsigned grid[3], block[3], cluster[2], shared_bytes;
	bool together, early;
};

/* What a tensor map says: where an array begins, how long its dimensions are and how
 * many bytes lie between their elements, the fastest one first, of which each element
 * follows the other, and how many elements of each a copy moves. Rows of what it
 * writes have 128 bytes, and their units of 16 are swizzled.
 *
 * Where copies slide, box[1] pixels are moved, which lie "step" apart along all dimensions
 * between the first and the last one, from "low" to the size and "high" more, after which
 * the next one of the dimension behind begins.
 */
enum { CETANE_RT_MAP_DIM = 5, CETANE_RT_MAP_BYTES = 128 };
struct cetane_rt_map {
	uint64_t base;
	uint64_t size[CETANE_RT_MAP_DIM], stride[CETANE_RT_MAP_DIM];
	uint32_t box[CETANE_RT_MAP_DIM];
	uint16_t n_dim, elem_bytes;
	int16_t low[CETANE_RT_MAP_DIM - 2], high[CETANE_RT_MAP_DIM - 2];
	uint8_t step[CETANE_RT_MAP_DIM - 2];
	bool slides;
};
_Static_assert(sizeof(struct cetane_rt_map) <= CETANE_RT_MAP_BYTES,
	"code for the host device has it in place of a GPU's");

/* One kind of device. Arguments were checked for NULL and for belonging to
 * "dev" before; "stream" may be NULL, "size" is at least 1. Each function
 * that fails has set the calling thread's last error.
 */
struct cetane_backend {
	void (*close)(struct cetane_device *dev);
	enum cetane_status (*synchronize)(struct cetane_device *dev);

	enum cetane_status (*module_load)(struct cetane_device *dev,
		const void *image, size_t size, struct cetane_module **mod);
	enum cetane_status (*module_unload)(struct cetane_module *mod);
	enum cetane_status (*module_function)(struct cetane_module *mod,
		const char *name, struct cetane_function **fn);
	enum cetane_status (*function_set_args)(struct cetane_function *fn,
		const size_t *size, int n);

	enum cetane_status (*mem_alloc)(struct cetane_device *dev, size_t size,
		cetane_ptr *ptr);
	enum cetane_status (*mem_free)(struct cetane_device *dev,
		cetane_ptr ptr);
	/* The bytes from "ptr" to the end of its allocation, or of a part of
	 * it that the device keeps apart; CETANE_INVALID_ADDRESS if there is
	 * none.
	 */
	enum cetane_status (*mem_rest)(struct cetane_device *dev,
		cetane_ptr ptr, size_t *rest);
	enum cetane_status (*copy_to)(struct cetane_device *dev,
		cetane_ptr dst, const void *src, size_t size,
		struct cetane_stream *stream);
	enum cetane_status (*copy_from)(struct cetane_device *dev, void *dst,
		cetane_ptr src, size_t size, struct cetane_stream *stream);
	enum cetane_status (*mem_set)(struct cetane_device *dev,
		cetane_ptr dst, unsigned char value, size_t size,
		struct cetane_stream *stream);

	enum cetane_status (*stream_create)(struct cetane_device *dev,
		struct cetane_stream **stream);
	void (*stream_destroy)(struct cetane_stream *stream);
	enum cetane_status (*stream_synchronize)(struct cetane_device *dev,
		struct cetane_stream *stream);
	/* What is queued on "stream" from now on begins when what was in front of
	 * "event", where it was recorded last, has ended.
	 */
	enum cetane_status (*stream_wait)(struct cetane_device *dev,
		struct cetane_stream *stream, struct cetane_event *event);
	/* Is what is queued on "stream" captured into a graph? */
	enum cetane_status (*is_captured)(struct cetane_device *dev,
		struct cetane_stream *stream, bool *yes);
	enum cetane_status (*event_create)(struct cetane_device *dev,
		struct cetane_event **event);
	void (*event_destroy)(struct cetane_event *event);
	enum cetane_status (*event_record)(struct cetane_event *event,
		struct cetane_stream *stream);
	enum cetane_status (*event_synchronize)(struct cetane_event *event);
	enum cetane_status (*event_elapsed)(struct cetane_event *start,
		struct cetane_event *stop, float *ms);

	enum cetane_status (*encode)(struct cetane_device *dev,
		const struct cetane_rt_map *map, void *bytes);
	enum cetane_status (*launch)(struct cetane_function *fn,
		const struct cetane_rt_shape *shape,
		struct cetane_stream *stream, void **args);
};

/* error.c */

/* Set the calling thread's last error and return "s". The text is cut at
 * 1023 bytes.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_fail(enum cetane_status s,
	const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The host has no memory left. */
CETANE_INTERNAL enum cetane_status cetane_rt_no_memory(void);

/* round.c */

/* cetane_host_fma and cetane_host_fmaf without the processor's instruction. */
CETANE_INTERNAL double cetane_rt_fma_exact(double x, double y, double z);
CETANE_INTERNAL float cetane_rt_fmaf_exact(float x, float y, float z);

#endif

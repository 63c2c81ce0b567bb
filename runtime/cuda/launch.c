/* Launches on a GPU: blocks by themselves, blocks that wait for one another, and blocks
 * that may begin while the launch in front of theirs ends.
 */
#include <string.h>
#include "runtime/cuda/cuda.h"

/* CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE */
enum { LAUNCH_TOO_LARGE = 720 };

/* Launch blocks that wait for one another, if the device has room for all.
 *
 * cuLaunchCooperativeKernel refuses a grid that is not resident at once, which
 * would wait for ever. The context is current.
 */
static enum cetane_status launch_together(const struct cetane_rt_driver *driver, void *fn,
	const struct cetane_rt_shape *shape, void *stream, void **args)
{
	const unsigned *g = shape->grid, *b = shape->block;
	int r;

	if (!driver->launch_together)
		return cetane_rt_fail(CETANE_DRIVER_TOO_OLD, "the CUDA driver "
			"cannot launch blocks that wait for one another");
	r = driver->launch_together(fn, g[0], g[1], g[2], b[0], b[1], b[2],
		shape->shared_bytes, stream, args);
	if (r == LAUNCH_TOO_LARGE)
		return cetane_rt_fail(CETANE_OUT_OF_RESOURCES, "the device has "
			"no room for the %u blocks of a launch at once, which "
			"wait for one another", g[0] * g[1] * g[2]);
	return cetane_rt_driver_status(driver, "cuLaunchCooperativeKernel",
		r);
}

/* What cuLaunchKernelEx takes (CUlaunchConfig), with one attribute (CUlaunchAttribute),
 * whose value has 64 bytes.
 */
struct launch_attribute {
	int id, pad;
	union {
		int value;
		char bytes[64];
	} of;
};
struct launch_config {
	unsigned grid[3], block[3], shared_bytes;
	void *stream;
	struct launch_attribute *attribute;
	unsigned n_attribute;
};

/* Launch blocks that may begin while what is in front of them on the stream ends.
 *
 * CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION. It counts behind a kernel alone;
 * behind anything else, and where the driver has no such launch, they begin when that
 * has ended. The context is current.
 */
static enum cetane_status launch_early(const struct cetane_rt_driver *driver, void *fn,
	const struct cetane_rt_shape *shape, void *stream, void **args)
{
	enum { PROGRAMMATIC_STREAM_SERIALIZATION = 6 };
	struct launch_attribute attribute = {
		.id = PROGRAMMATIC_STREAM_SERIALIZATION, .of.value = 1 };
	struct launch_config config = { .shared_bytes = shape->shared_bytes,
		.stream = stream, .attribute = &attribute, .n_attribute = 1 };

	memcpy(config.grid, shape->grid, sizeof(config.grid));
	memcpy(config.block, shape->block, sizeof(config.block));
	return cetane_rt_driver_status(driver, "cuLaunchKernelEx",
		driver->launch_ex(&config, fn, args, NULL));
}

/* The context is current, and the function may have its shared memory. */
enum cetane_status cetane_rt_cuda_launch(const struct cetane_rt_driver *driver,
	void *fn, const struct cetane_rt_shape *shape, void *stream, void **args)
{
	const unsigned *g = shape->grid, *b = shape->block;

	if (shape->together)
		return launch_together(driver, fn, shape, stream, args);
	if (shape->early && driver->launch_ex)
		return launch_early(driver, fn, shape, stream, args);
	return cetane_rt_driver_status(driver, "cuLaunchKernel",
		driver->launch(fn, g[0], g[1], g[2], b[0], b[1], b[2],
			shape->shared_bytes, stream, args, NULL));
}

/* Launches that cetane_rt.h does not have. */
#ifndef CETANE_DEVICE_H
#define CETANE_DEVICE_H

#include "runtime/base/base.h"

/* As cetane_launch, of blocks that wait for one another: they count themselves in
 * the four bytes at "count", which are made 0 first.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_launch_together(
	struct cetane_function *fn, const unsigned grid[3],
	const unsigned block[3], unsigned shared_bytes,
	struct cetane_stream *stream, void **args, cetane_ptr count);

/* As cetane_launch, of blocks in clusters, which their kernel names for a GPU, that may
 * begin early; not together.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_launch_clusters(
	struct cetane_function *fn, const struct cetane_rt_shape *shape,
	struct cetane_stream *stream, void **args);

#endif

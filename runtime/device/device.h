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

/* lanes.c: streams of the library's own. Make those of "dev", unless it has them; free
 * them.
 */
enum { CETANE_RT_LANES = 8 };
CETANE_INTERNAL enum cetane_status cetane_rt_lanes_make(
	struct cetane_device *dev);
CETANE_INTERNAL void cetane_rt_lanes_free(struct cetane_device *dev);

/* What is queued on "from" divides into parts, of which none depends on another.
 * "lanes" is NULL where they stay on "from".
 */
struct cetane_rt_fork {
	struct cetane_device *dev;
	struct cetane_stream *from;
	struct cetane_rt_lanes *lanes;
	uint64_t n_part;
};
/* Begin: the parts come behind all that is on "from". */
CETANE_INTERNAL enum cetane_status cetane_rt_fork(struct cetane_rt_fork *f,
	struct cetane_device *dev, struct cetane_stream *from);
/* "*stream" is that of the next part. */
CETANE_INTERNAL enum cetane_status cetane_rt_fork_next(struct cetane_rt_fork *f,
	struct cetane_stream **stream);
/* End, whatever has failed: what is queued on "from" from now on comes behind all
 * parts. Returns "before", or the first failure here.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_join(struct cetane_rt_fork *f,
	enum cetane_status before);

#endif

/* The checks of the host device: what host_check.c, which makes them, and host_report.c,
 * which says what they found, share.
 */
#ifndef CETANE_HOST_CHECK_H
#define CETANE_HOST_CHECK_H

#include "runtime/host/host.h"

/* One access to one byte, from the highest bit: 32 of the segment (0: none), 14
 * of the thread, 1 of an atomic update, 17 of the site.
 */
enum { SITE_BITS = 17, THREAD_SHIFT = SITE_BITS + 1, SEGMENT_SHIFT = 32,
	MAX_SITE = (1 << SITE_BITS) - 1,
	MAX_NUMBER = 1 << (SEGMENT_SHIFT - THREAD_SHIFT) };
_Static_assert(HOST_MAX_THREADS * HOST_MAX_CLUSTER <= MAX_NUMBER,
	"a thread's number has its bits");

/* The first segment of a block, or of a cluster and its first block. */
struct host_first {
	uint32_t segment;
	uint64_t index;
};

/* The state of the checks; of one launch, except for the shadow of shared
 * memory and the count of segments.
 */
struct host_check {
	struct host_launch *launch;
	uint32_t segment;		/* the present one */
	uint32_t launch_segment;	/* first of the launch */
	uint32_t block_segment;		/* first of the block, or of the cluster, */
	uint32_t barrier_segment[HOST_MAX_CLUSTER];	/* behind the last barrier of each
							 * of its blocks, */
	uint32_t met_segment;		/* behind that of all of them */
	unsigned n_peer;		/* blocks of a cluster, 1: none */
	struct host_order *order;	/* of its threads, or NULL: nobody arrived yet */
	struct host_first *first;	/* of the launch */
	size_t n_first, cap_first;
	struct host_shadow shared;
	size_t shared_size;		/* bytes "shared" has room for */
	struct host_alloc *recent;	/* found last */
	bool called, no_memory;
};

static inline uint32_t host_segment_of(uint64_t access)
{
	return (uint32_t) (access >> SEGMENT_SHIFT);
}

static inline unsigned host_thread_of(uint64_t access)
{
	return (access >> THREAD_SHIFT) & (MAX_NUMBER - 1);
}

static inline bool host_is_atomic(uint64_t access)
{
	return (access >> SITE_BITS) & 1;
}

static inline uint32_t host_site_of(uint64_t access)
{
	return access & MAX_SITE;
}

/* What the address of an access with these flags is a multiple of. */
static inline uint32_t host_alignment_of(uint32_t flags)
{
	return UINT32_C(1) << (flags / CETANE_HOST_ALIGN & 15);
}

/* One access while it is checked: "size" bytes of memory from "start" are
 * the array, "offset" is where the access begins.
 */
struct host_access {
	const struct cetane_host_thread *t;
	struct host_check *c;
	struct host_shadow *shadow;
	size_t size, offset;
	size_t at;		/* "offset" in "shadow", which may be of several blocks */
	uint32_t bytes, flags, site;
	uint32_t first;		/* the first segment that "shadow" is of */
};

/* ----------------------------------------------------------- host_report.c */

/* Report the access "a" to "addr": outside of the memory that begins at "start", or
 * of all memory if that is NULL.
 */
CETANE_INTERNAL void cetane_rt_host_report_bounds(
	const struct host_access *a, const void *start, const void *addr);
/* Report that "a" accesses "addr", which is no multiple of what its flags say. */
CETANE_INTERNAL void cetane_rt_host_report_alignment(
	const struct host_access *a, const void *addr);
/* Report that "a" reads the byte number "byte" of its array, which nothing
 * wrote.
 */
CETANE_INTERNAL void cetane_rt_host_report_init(const struct host_access *a,
	size_t byte);
/* Report that "a" and the access "other", a write or a read, have no order at
 * the byte.
 */
CETANE_INTERNAL void cetane_rt_host_report_race(const struct host_access *a,
	size_t byte, uint64_t other, bool other_wrote);

#endif

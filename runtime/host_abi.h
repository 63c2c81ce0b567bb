/* What code generated for the host device and libcetane_rt agree on.
 *
 * A kernel is a C function of this type, called once per thread; "args" is an
 * array of pointers to the argument values, as cuLaunchKernel takes it.
 */
#ifndef CETANE_HOST_ABI_H
#define CETANE_HOST_ABI_H

#include <stdint.h>

/* First members fixed: generated code reads them at these offsets. */
struct cetane_host_thread {
	uint32_t tid[3];	/* offset 0 */
	uint32_t ctaid[3];	/* 12 */
	uint32_t ntid[3];	/* 24 */
	uint32_t nctaid[3];	/* 36 */
	void *shared;		/* 48: base of the block's dynamic shared memory,
				 * aligned to 1024 bytes */
	void *priv;		/* 56: the runtime's own */
};

typedef void (*cetane_host_kernel)(struct cetane_host_thread *t, void **args);

enum {
	CETANE_HOST_WRITE = 1,	/* else a read */
	CETANE_HOST_SHARED = 2,	/* else global */
	CETANE_HOST_LATER = 4,	/* written, but not to be read before the next
				 * write */
	CETANE_HOST_ATOMIC = 8,	/* reads and writes at once */
	CETANE_HOST_ALIGN = 256	/* times the logarithm of what its address is a multiple of */
};

/* Barrier over all threads of the block. */
void cetane_host_barrier(struct cetane_host_thread *t, uint32_t id);
/* Barrier over all threads of all blocks of a launch that runs them together. */
void cetane_host_meet(struct cetane_host_thread *t, uint32_t id);
/* Barrier over all threads of the blocks of a cluster. What the block "rank" of the
 * cluster has, of 32 bits, where this one has "own" in its shared memory.
 */
void cetane_host_cluster_sync(struct cetane_host_thread *t);
uint32_t cetane_host_cluster_read(struct cetane_host_thread *t,
	const void *own, uint32_t rank);
/* The "value" of the thread whose number in the block is this one's exclusive or
 * "with"; the two call it together. "mask" and "last", the threads of the warp
 * that take part and its last one, are for the GPU.
 */
uint32_t cetane_host_exchange(struct cetane_host_thread *t, uint32_t mask,
	uint32_t value, uint32_t with, uint32_t last);
/* Tiles that blocks take in turn, and words that they hand on: the number of those that
 * have asked at "count" before, which is 0 at first; let the word at "to" be "value"
 * with the tag "tag" above its 32 bits; the word at "from" once its tag is "least" or
 * more, or for the caller to ask again. Blocks that run one by one never wait: the word
 * of a tile that comes first is there, or the launch ends as a deadlock.
 */
uint32_t cetane_host_turn(struct cetane_host_thread *t, void *count);
void cetane_host_tell(struct cetane_host_thread *t, void *to, uint32_t tag,
	uint32_t value);
uint64_t cetane_host_hear(struct cetane_host_thread *t, const void *from,
	uint32_t least);
/* The "value" of each lane of the thread's warp, all 32 of them, in "all"; its
 * lanes call it together.
 */
void cetane_host_lanes(struct cetane_host_thread *t, uint32_t value, uint32_t *all);
/* The matrix instructions of a warp, whose lanes call it together: C += A * B, with
 * the fragments of this lane in "a", "b" and "c" as PTX has them, mma.m16n8k16 of
 * f16 or bf16 with C in f32, mma.m16n8k8 of f64 or of tf32 with C in f32, or mma.m16n8k32 of bytes, with signs
 * or without, with C in 32 bits, which wraps, or of f8e4m3 or f8e5m2 with C in f32; where
 * A and B differ, A's stands first.
 */
enum { CETANE_HOST_MMA_BF16, CETANE_HOST_MMA_F16, CETANE_HOST_MMA_F64,
	CETANE_HOST_MMA_TF32, CETANE_HOST_MMA_S8, CETANE_HOST_MMA_U8, CETANE_HOST_MMA_E4M3,
	CETANE_HOST_MMA_E5M2, CETANE_HOST_MMA_E4M3_E5M2,
	CETANE_HOST_MMA_E5M2_E4M3 };
void cetane_host_mma(struct cetane_host_thread *t, uint32_t kind, const void *a,
	const void *b, void *c);
/* An asynchronous copy of "n" bytes from "from", in the array at "base", and
 * zeros up to "size" to "to" in shared memory, at two sites. The copies that a
 * thread has started since it last called commit are a group. They land when
 * the thread waits for all but the last "pending" of its groups, no sooner.
 */
void cetane_host_copy(struct cetane_host_thread *t, void *to,
	const void *base, const void *from, uint32_t size, uint32_t n,
	uint32_t site_to, uint32_t site_from);
void cetane_host_copy_commit(struct cetane_host_thread *t);
void cetane_host_copy_wait(struct cetane_host_thread *t, uint32_t pending);
/* A barrier of 8 bytes in shared memory that counts bytes. It has phases, 0 and 1
 * in turn, beginning with 0; each ends when "count" threads have arrived and as
 * many bytes have been copied as they expected. "expect" arrives and expects, "arrive"
 * arrives alone; "wait" returns when the phase "parity" has ended. What a copy in bulk of "size"
 * bytes writes is there, for all threads of the block, when a thread has waited for
 * the phase in which it was started, no sooner.
 */
void cetane_host_mbarrier_init(struct cetane_host_thread *t, void *barrier,
	uint32_t count);
void cetane_host_mbarrier_expect(struct cetane_host_thread *t, void *barrier,
	uint32_t bytes);
void cetane_host_mbarrier_arrive(struct cetane_host_thread *t, void *barrier);
/* The same at the barrier that the block "rank" of the cluster has where this one has
 * "own".
 */
void cetane_host_mbarrier_arrive_at(struct cetane_host_thread *t, void *own,
	uint32_t rank);
void cetane_host_mbarrier_wait(struct cetane_host_thread *t, void *barrier,
	uint32_t parity);
void cetane_host_copy_bulk(struct cetane_host_thread *t, void *to,
	void *barrier, const void *base, const void *from, uint32_t size,
	uint32_t site_to, uint32_t site_from);
/* A copy in bulk of a box of 128 bytes along the fastest dimension of an array, as the
 * argument "map" of the launch has it, the first element of which stands at the
 * coordinates "at", the fastest one first. Zeros are copied from where no element is.
 * Rows of 128 bytes lie one behind the other from "to" on, the units of 16 bytes of
 * each in an order that its place in shared memory tells.
 */
void cetane_host_copy_box(struct cetane_host_thread *t, void *to, void *barrier,
	const void *map, const int32_t *at, uint32_t site_to, uint32_t site_from);
/* The same to all blocks of the cluster, "blocks" of them: to the place that is "to" in
 * this one, where "barrier" is told.
 */
void cetane_host_copy_box_to_all(struct cetane_host_thread *t, void *to,
	void *barrier, const void *map, const int32_t *at, uint32_t site_to,
	uint32_t site_from, uint32_t blocks);
/* Called before each access in checked code: "bytes" bytes at "addr", which
 * was derived from the array starting at "base"; "site" indexes the module's
 * table of sites. Returns 1 if the access may proceed, 0 if it lies outside
 * the array or is not as aligned as "flags" say (the generated code then skips it; a
 * skipped load gives 0).
 */
uint32_t cetane_host_check(struct cetane_host_thread *t, const void *base,
	const void *addr, uint32_t bytes, uint32_t flags, uint32_t site);
/* What the accesses behind this belong to: an instance of the statement whose
 * name is in the table of sites, at the "n" indices "index", which stay where
 * they are until the next call.
 */
void cetane_host_instance(struct cetane_host_thread *t, const int64_t *index,
	uint32_t n, uint32_t name);

/* Conversions, round to nearest even; NaN stays NaN, overflow gives inf. */
uint16_t cetane_host_f32_to_f16(float x);
float cetane_host_f16_to_f32(uint16_t x);
uint16_t cetane_host_f32_to_bf16(float x);
float cetane_host_bf16_to_f32(uint16_t x);
uint32_t cetane_host_f32_to_tf32(float x);	/* its bits; of two the larger */
float cetane_host_tf32_to_f32(uint32_t x);	/* of the upper 19 bits */
uint8_t cetane_host_f32_to_e4m3(float x);
float cetane_host_e4m3_to_f32(uint8_t x);
uint8_t cetane_host_f32_to_e5m2(float x);
float cetane_host_e5m2_to_f32(uint8_t x);

/* x * y + z rounded once, to nearest even, and rounding to whole numbers: the
 * bits of the functions of C without the prefix, except that a NaN is any NaN.
 */
double cetane_host_fma(double x, double y, double z);
float cetane_host_fmaf(float x, float y, float z);
double cetane_host_floor(double x);
float cetane_host_floorf(float x);
double cetane_host_ceil(double x);
float cetane_host_ceilf(float x);
double cetane_host_trunc(double x);
float cetane_host_truncf(float x);

#endif

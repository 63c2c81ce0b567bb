/* The host device's own records: what the host_*.c files share.
 *
 * A host device owns its memory (host_memory.c), its streams, which are
 * queues of work (host_stream.c), the workers that run the blocks of a
 * launch (host_launch.c, on the fibers of fiber.c), and the findings of the
 * checks (host_check.c, host_finding.c). One lock guards all of it; it is
 * held while queued work runs. While the blocks of one launch are spread
 * over several workers, only the findings and the launch's own counters
 * change, each under a lock or atomically.
 */
#ifndef CETANE_HOST_H
#define CETANE_HOST_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include "runtime/base/base.h"

enum {
	HOST_MAX_THREADS = 1024,	/* in a block */
	HOST_MAX_CLUSTER = 16,	/* blocks of a cluster */
	HOST_LANES = 32,		/* in a warp */
	HOST_LANES_ALL = 256,		/* no kind of matrix instruction */
	HOST_MAX_SHARED = 227 * 1024,	/* the largest of all targets */
	HOST_MAX_WORKERS = 16,
	HOST_REDZONE = 256,		/* around memory, watched */
	HOST_POISON = 0xCD,		/* fresh memory */
	HOST_STACK = 128 * 1024,	/* bytes a thread of a kernel may use */
	HOST_CANARY = 4096,		/* below them, watched */
	HOST_MAX_FINDINGS = 64
};

/* ----------------------------------------------------------------- host.c */

/* Open the host device. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_open(
	struct cetane_device **dev);
/* The table of the host device, to tell it from others. */
CETANE_INTERNAL extern const struct cetane_backend cetane_rt_host_backend;

/* ---------------------------------------------------------------- fiber.c */

/* A stack of its own, or, as "main", the OS thread's. "sp" is the stack
 * pointer while the fiber does not run, or where libc's context is, on the same
 * stack; "resumed_by" is the fiber that switched to this one last. The other
 * members tell the sanitizers.
 */
struct host_fiber {
	void *sp;
	void (*entry)(void *arg);
	void *arg;
	struct host_fiber *resumed_by;
	const void *low;	/* lowest byte of the stack */
	size_t size;
	void *asan_fake;
	void *tsan;
};
/* Prepare "f" to run entry(arg) on the "size" bytes from "low" when it is
 * first switched to. "entry" must not return; it ends in
 * cetane_rt_fiber_exit.
 */
CETANE_INTERNAL void cetane_rt_fiber_init(struct host_fiber *f, void *low,
	size_t size, void (*entry)(void *arg), void *arg);
/* Let "f" stand for the running OS thread. */
CETANE_INTERNAL void cetane_rt_fiber_main(struct host_fiber *f);
/* Save the running context in "from" and go on where "to" was left. */
CETANE_INTERNAL void cetane_rt_fiber_switch(struct host_fiber *from,
	struct host_fiber *to);
/* Leave "from" for good. */
CETANE_INTERNAL _Noreturn void cetane_rt_fiber_exit(struct host_fiber *from,
	struct host_fiber *to);
/* Release what the sanitizers keep of "f"; the stack is the caller's. */
CETANE_INTERNAL void cetane_rt_fiber_free(struct host_fiber *f);

/* ----------------------------------------------------------- host_memory.c */

/* Race records of one byte: accesses as host_check.h packs them, 0 is none. */
struct host_race {
	uint64_t write, read[2];
};
/* What the checks know of a memory range; NULL where nobody asked yet. */
struct host_shadow {
	unsigned char *init;	/* one a byte: 1 if it was ever written */
	struct host_race *race;	/* one a byte */
};
/* One allocation; its memory is between two redzones. */
struct host_alloc {
	unsigned char *base;
	size_t size;
	void *block;		/* what malloc gave */
	struct host_shadow shadow;
};
struct host_memory {
	struct host_alloc *alloc;	/* sorted by base */
	int n_alloc, cap;
};
struct host_device;

CETANE_INTERNAL enum cetane_status cetane_rt_host_malloc(
	struct cetane_device *dev, size_t size, cetane_ptr *ptr);
CETANE_INTERNAL enum cetane_status cetane_rt_host_free(
	struct cetane_device *dev, cetane_ptr ptr);
CETANE_INTERNAL enum cetane_status cetane_rt_host_rest(
	struct cetane_device *dev, cetane_ptr ptr, size_t *rest);
/* The allocation that contains "addr" (one past its end counts if no other
 * starts there), or NULL.
 */
CETANE_INTERNAL struct host_alloc *cetane_rt_host_find(
	struct host_device *hd, uintptr_t addr);
/* The allocation that contains all of the range, or NULL. */
CETANE_INTERNAL struct host_alloc *cetane_rt_host_range(
	struct host_device *hd, cetane_ptr ptr, size_t size);
/* Note that bytes were written by a copy or memset. */
CETANE_INTERNAL void cetane_rt_host_wrote(struct host_device *hd,
	cetane_ptr ptr, size_t size);
/* Call everything initialised: unchecked code may have written it. */
CETANE_INTERNAL void cetane_rt_host_wrote_all(struct host_device *hd);
/* The first allocation whose redzones changed, or NULL; they are restored.
 * "*offset" is the place of the first changed byte, relative to the base.
 */
CETANE_INTERNAL struct host_alloc *cetane_rt_host_broken(
	struct host_device *hd, ptrdiff_t *offset);
CETANE_INTERNAL void cetane_rt_host_memory_free(struct host_device *hd);

/* ----------------------------------------------------------- host_stream.c */

/* Events belong to host_event.c: "op" is the mark in a queue that has not
 * been reached yet, "status" what became of the last one that was; "number" is that of the
 * mark that was recorded last, on "stream".
 */
struct host_event {
	struct cetane_event base;
	struct host_op *op;
	struct host_stream *stream;
	uint64_t number;
	bool completed;
	enum cetane_status status;
	struct timespec when;
};
/* One piece of queued work. A mark whose event is NULL is void. A wait is for operation
 * "number" of the stream "other".
 */
struct host_op {
	struct host_op *next;
	enum { HOST_COPY_TO, HOST_COPY_FROM, HOST_MEMSET, HOST_LAUNCH,
		HOST_MARK, HOST_WAIT } kind;
	cetane_ptr device;
	void *dst;
	const void *src;
	size_t size;
	unsigned char value;
	struct host_event *event;
	struct host_launch *launch;
	struct host_stream *other;
	uint64_t number;
};
/* A queue of work. Its operations have numbers, from 1: "n_pushed" were queued, "n_begun"
 * of them have begun. The last failure, "status", dropped those from "first" to "last".
 */
struct host_stream {
	struct cetane_stream base;
	struct host_stream *next;	/* of the device */
	struct host_op *head, **tail;
	uint64_t n_pushed, n_begun, first, last;
	enum cetane_status status;
};
CETANE_INTERNAL void cetane_rt_host_stream_init(struct host_device *hd,
	struct host_stream *hs);
/* The stream that a caller's handle stands for. */
CETANE_INTERNAL struct host_stream *cetane_rt_host_stream(
	struct host_device *hd, struct cetane_stream *stream);
/* Append a new operation to a queue. NULL if out of memory. */
CETANE_INTERNAL struct host_op *cetane_rt_host_push(struct host_stream *hs,
	const struct host_op *op);
/* Run the work of one stream up to and with "last" (NULL: all). A failure
 * ends it, and what is queued behind is dropped.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_host_drain_stream(
	struct host_device *hd, struct host_stream *hs,
	const struct host_op *last);
/* Run all work of all streams; the first failure. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_drain(
	struct host_device *hd);

CETANE_INTERNAL enum cetane_status cetane_rt_host_synchronize(
	struct cetane_device *dev);
CETANE_INTERNAL enum cetane_status cetane_rt_host_copy_to(
	struct cetane_device *dev, cetane_ptr dst, const void *src,
	size_t size, struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_host_copy_from(
	struct cetane_device *dev, void *dst, cetane_ptr src, size_t size,
	struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_host_memset(
	struct cetane_device *dev, cetane_ptr dst, unsigned char value,
	size_t size, struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_host_stream_create(
	struct cetane_device *dev, struct cetane_stream **stream);
CETANE_INTERNAL void cetane_rt_host_stream_destroy(
	struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_host_stream_synchronize(
	struct cetane_device *dev, struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_host_stream_wait(
	struct cetane_device *dev, struct cetane_stream *stream,
	struct cetane_event *event);
/* Never: the host device has no graphs. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_is_captured(
	struct cetane_device *dev, struct cetane_stream *stream, bool *yes);
CETANE_INTERNAL enum cetane_status cetane_rt_host_launch(
	struct cetane_function *fn, const struct cetane_rt_shape *shape,
	struct cetane_stream *stream, void **args);

/* ------------------------------------------------------------ host_event.c */

CETANE_INTERNAL enum cetane_status cetane_rt_host_event_create(
	struct cetane_device *dev, struct cetane_event **event);
CETANE_INTERNAL void cetane_rt_host_event_destroy(struct cetane_event *event);
CETANE_INTERNAL enum cetane_status cetane_rt_host_event_record(
	struct cetane_event *event, struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_host_event_synchronize(
	struct cetane_event *event);
CETANE_INTERNAL enum cetane_status cetane_rt_host_event_elapsed(
	struct cetane_event *start, struct cetane_event *stop, float *ms);

/* ----------------------------------------------------------- host_launch.c */

struct host_function {
	struct cetane_function base;
	const char *name;
	cetane_host_kernel kernel;
	uint64_t id;		/* unique on the device, for ever */
	size_t *arg_size;
	int n_arg;		/* -1: not declared */
};
struct host_module {
	struct cetane_module base;
	struct host_function *function;
	int n_function;
	const char *const *site;
	int n_site;
};
/* What stays the same for all blocks of one launch, and its progress. */
struct host_launch {
	struct host_device *hd;
	struct host_function *fn;
	struct cetane_rt_shape shape;
	void **args;
	unsigned checks;
	uint64_t seed;
	uint64_t n_block;
	uint64_t step, start;	/* the i-th block is (start + i * step) mod n */
	unsigned n_thread;
	atomic_uint_fast64_t next_block;
	atomic_int status;
};

struct host_worker;
struct host_mbarrier;
/* An asynchronous copy under way: see cetane_host_copy. */
struct host_copy {
	void *to;
	const void *from;
	uint32_t size, n, site;
	unsigned group;
};
/* One in bulk: of "thread", until the phase of "barrier" ends. */
struct host_bulk {
	struct host_thread *thread;
	struct host_mbarrier *barrier;
	struct host_copy copy;
};
/* A thread of a kernel, on a fiber that outlives it: the next thread reuses
 * it. "base" is where a thread goes that will never reach its barrier.
 */
struct host_thread {
	struct cetane_host_thread t;
	struct host_fiber fiber;
	struct host_worker *w;
	jmp_buf base;
	unsigned linear;	/* thread number in the block */
	uint32_t barrier;	/* the one it waits at, or the exchange */
	uint32_t value, received;	/* of an exchange */
	uint32_t kind;			/* of a matrix instruction, or HOST_LANES_ALL: of
					 * an exchange of all lanes; its fragments of */
	const void *operand[2];		/* A, B and */
	void *sum;			/* C, which is NULL if it is none */
	const struct host_mbarrier *bytes;	/* it waits for, or NULL */
	uint32_t parity;
	bool waits, exchanges, meets, hears, started;
	struct host_copy *copy;		/* that have not landed, in order */
	size_t n_copy, cap_copy;
	unsigned group;			/* that the next copy belongs to */
	bool at_work;			/* an instance: its indices, its */
	const int64_t *index;		/* statement's name, which is a site */
	uint32_t n_index, name;
};
/* What runs the blocks of a launch on one OS thread. */
struct host_worker {
	struct host_fiber main;
	struct host_launch *launch;
	struct host_check *check;	/* NULL: no checks */
	struct host_thread *thread[HOST_MAX_THREADS];
	int n_stack;			/* entries of "thread" in use */
	void *chunk[HOST_MAX_THREADS];	/* mappings of several stacks */
	int n_chunk;
	unsigned char *shared;
	size_t shared_cap;
	struct host_worker **peer;	/* of blocks that run together, itself too */
	uint64_t n_peer, rank;		/* how many; which one it is */
	bool stuck;			/* it waits for what the others copy or say, */
	uint64_t n_turn;		/* and how often it has got that */
	/* the block */
	uint32_t ctaid[3];
	uint64_t random;
	struct host_thread *list[HOST_MAX_THREADS];	/* order to run in */
	unsigned short order[HOST_MAX_THREADS];	/* order to start in */
	unsigned n_list, position, n_started, n_wait, n_exchange, n_meet;
	unsigned n_bytes;		/* threads that wait for copies in bulk */
	struct host_bulk *bulk;		/* that have not landed */
	size_t n_bulk, cap_bulk;
	uint32_t barrier;	/* of the first that waits */
	bool diverged, abandon, quit, no_memory;
	bool unguarded;		/* stacks without guard pages, which are few */
	unsigned most_threads;	/* stacks used by this launch */
};
/* host_bulk.c: let "bytes" be "map" as copies of boxes want it, as a GPU does. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_encode(
	struct cetane_device *dev, const struct cetane_rt_map *map, void *bytes);
/* host_mma.c: the matrix instruction that the 32 threads at "lane" wait at, entries
 * NULL being those that do not wait; false if not all of them wait at the same one.
 */
CETANE_INTERNAL bool cetane_rt_host_multiply(struct host_thread *const *lane);
/* A launch of "fn" with a copy of its arguments; the configuration of the
 * device is the present one. On failure "*launch" is untouched.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_host_launch_new(
	struct host_function *fn, const struct cetane_rt_shape *shape,
	void **args, struct host_launch **launch);
/* The block that runs as the i-th; "x" counts fastest. */
CETANE_INTERNAL uint64_t cetane_rt_host_nth_block(
	const struct host_launch *launch, uint64_t i);
/* Run the launch to its end. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_run(
	struct host_launch *launch);

/* ------------------------------------------------------------- host_copy.c */

/* Do the copy "c" of thread "t". */
CETANE_INTERNAL void cetane_rt_host_land(struct cetane_host_thread *t,
	const struct host_copy *c);

/* Are the addresses "to", "from", unless that is NULL, and "size" of a copy by
 * "t" multiples of "unit" bytes, as a GPU demands? If not, that is a finding,
 * whatever is checked, and the launch fails.
 */
CETANE_INTERNAL bool cetane_rt_host_is_aligned(
	const struct cetane_host_thread *t, const void *to, const void *from,
	uint32_t size, uint32_t unit);

/* ------------------------------------------------------------- host_bulk.c */

/* Has the phase "parity" ended, or may it? */
CETANE_INTERNAL bool cetane_rt_host_ends(const struct host_mbarrier *barrier,
	uint32_t parity);

/* ------------------------------------------------------------ host_block.c */

/* Let "th" wait until "barrier" may have ended the phase "parity". */
CETANE_INTERNAL void cetane_rt_host_wait_bytes(struct host_thread *th,
	const struct host_mbarrier *barrier, uint32_t parity);
/* Run one block on "w"; "index" counts blocks with x fastest. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_block(
	struct host_worker *w, uint64_t index);
/* The same in parts: begin; run on until the block has ended or, with "*meets",
 * all of its threads wait for the other blocks, or it is stuck without what they do; let
 * those go on that wait, or give them up, or say that they wait in vain.
 */
CETANE_INTERNAL void cetane_rt_host_block_begin(struct host_worker *w,
	uint64_t index);
CETANE_INTERNAL enum cetane_status cetane_rt_host_block_run(
	struct host_worker *w, bool *meets);
CETANE_INTERNAL enum cetane_status cetane_rt_host_block_fail(
	struct host_worker *w);
CETANE_INTERNAL void cetane_rt_host_block_release(struct host_worker *w);
CETANE_INTERNAL void cetane_rt_host_block_abandon(struct host_worker *w);
/* The thread waits for a word that no block will hand on: it does not come back. */
CETANE_INTERNAL void cetane_rt_host_hears_nothing(struct host_thread *th);
/* Check that this launch wrote neither below its stacks nor behind its shared
 * memory.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_host_canaries(
	struct host_worker *w);
CETANE_INTERNAL void cetane_rt_host_worker_free(struct host_worker *w);
/* Make "w" ready to run blocks of "launch". */
CETANE_INTERNAL enum cetane_status cetane_rt_host_worker_prepare(
	struct host_worker *w, struct host_launch *launch);
/* The next of a sequence of pseudo-random numbers (splitmix64). */
CETANE_INTERNAL uint64_t cetane_rt_host_random(uint64_t *state);

/* ---------------------------------------------------------- host_deadlock.c */

/* Say which threads wait where, and which are gone. */
CETANE_INTERNAL void cetane_rt_host_deadlock(struct host_worker *w);
/* Do all threads of the block wait for the other blocks? */
CETANE_INTERNAL bool cetane_rt_host_all_meet(const struct host_worker *w);

/* ---------------------------------------------------------- host_partners.c */

/* Put the threads that go on into another order, if there is a seed. */
CETANE_INTERNAL void cetane_rt_host_shuffle(struct host_worker *w);
/* Give those that wait their partners' values, or what their warp multiplies, and let
 * them go on. Lanes of one warp may be at different exchanges; false if none has a
 * partner.
 */
CETANE_INTERNAL bool cetane_rt_host_serve_partners(struct host_worker *w);

/* --------------------------------------------------------- host_together.c */

/* Run all blocks of "launch" at once, on the calling thread. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_together(
	struct host_launch *launch);

/* Run the clusters of "launch" one after the other. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_clusters(
	struct host_launch *launch);

/* ------------------------------------------------------------- host_pool.c */

/* OS threads that help with the blocks of a launch. */
struct host_pool {
	struct host_worker *worker[HOST_MAX_WORKERS];	/* 0: the caller's */
	pthread_t thread[HOST_MAX_WORKERS];
	int n_thread;		/* running, without the caller */
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	struct host_launch *launch;
	unsigned generation;	/* counts launches */
	int busy;
	bool stop;
};
CETANE_INTERNAL void cetane_rt_host_pool_init(struct host_pool *p);
/* Run the blocks of "launch": by the caller alone, in order, if "serial". */
CETANE_INTERNAL enum cetane_status cetane_rt_host_pool_run(
	struct host_pool *p, struct host_launch *launch, bool serial);
CETANE_INTERNAL void cetane_rt_host_pool_free(struct host_pool *p);

/* ------------------------------------------------------------ host_check.c */

struct host_check;
/* NULL if out of memory. */
CETANE_INTERNAL struct host_check *cetane_rt_host_check_new(void);
CETANE_INTERNAL void cetane_rt_host_check_free(struct host_check *c);
/* A launch with checks begins, ends; block "index" begins, or the cluster of which that is
 * the first; a barrier of the block "rank" of it opens, or one of all blocks.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_host_check_launch(
	struct host_check *c, struct host_launch *launch);
CETANE_INTERNAL enum cetane_status cetane_rt_host_check_done(
	struct host_check *c);
CETANE_INTERNAL void cetane_rt_host_check_block(struct host_check *c,
	uint64_t index);
CETANE_INTERNAL void cetane_rt_host_check_barrier(struct host_check *c,
	uint64_t rank);
CETANE_INTERNAL void cetane_rt_host_check_meeting(struct host_check *c);
/* May the thread read "bytes" at "addr", in the shared memory of a block of its cluster? */
CETANE_INTERNAL bool cetane_rt_host_check_peer(struct cetane_host_thread *t,
	const void *addr, uint32_t bytes);
/* The thread arrives at "barrier" in shared memory, or copies of its land there; it has
 * waited there.
 */
CETANE_INTERNAL void cetane_rt_host_check_arrive(struct host_check *c,
	const struct cetane_host_thread *t, const void *barrier);
CETANE_INTERNAL void cetane_rt_host_check_wait(struct host_check *c,
	const struct cetane_host_thread *t, const void *barrier);

/* ------------------------------------------------------------ host_order.c */

/* Up to which segment each of "n_thread" threads knows what each other has done. Tell
 * "barrier" what the thread knows, and that of itself all before "segment"; hear what it
 * was told: false without memory.
 */
struct host_order;
CETANE_INTERNAL struct host_order *cetane_rt_host_order_new(unsigned n_thread);
CETANE_INTERNAL void cetane_rt_host_order_free(struct host_order *o);
CETANE_INTERNAL bool cetane_rt_host_order_tell(struct host_order *o,
	unsigned thread, const void *barrier, uint32_t segment);
CETANE_INTERNAL bool cetane_rt_host_order_hear(struct host_order *o,
	unsigned thread, const void *barrier);
/* The "n" threads from "first" on meet at a barrier, behind which "segment" begins. */
CETANE_INTERNAL void cetane_rt_host_order_meet(struct host_order *o, unsigned first,
	unsigned n, uint32_t segment);
/* The first segment of which the thread does not know what "other" did; 0 without "o". */
CETANE_INTERNAL uint32_t cetane_rt_host_order_known(const struct host_order *o,
	unsigned thread, unsigned other);

/* ---------------------------------------------------------- host_finding.c */

/* Two findings with the same key are one. */
struct host_key {
	int kind;
	uint64_t fn;		/* id of the function */
	uint32_t site[2];
};
enum { FINDING_BOUNDS, FINDING_INIT, FINDING_RACE, FINDING_DEADLOCK,
	FINDING_STACK, FINDING_REDZONE, FINDING_ALIGNMENT };
struct host_findings {
	pthread_mutex_t lock;
	struct host_key key[HOST_MAX_FINDINGS];
	char *text[HOST_MAX_FINDINGS];
	int n_kept, n;
};
/* Add a finding unless one with this key is kept already. */
CETANE_INTERNAL void cetane_rt_host_find_add(struct host_findings *f,
	const struct host_key *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ------------------------------------------------------------------ host.c */

struct host_device {
	struct cetane_device base;
	pthread_mutex_t lock;
	struct host_memory memory;
	struct host_stream stream0;	/* the default one heads the list */
	struct host_pool pool;
	struct host_check *check;
	struct host_findings findings;
	unsigned checks;
	uint64_t seed;
	uint64_t n_function;	/* ids given so far */
};

#endif

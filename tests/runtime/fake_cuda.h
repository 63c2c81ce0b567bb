/* What a test can see of the fake CUDA driver, and tell it; "fake_cuda" is
 * looked up by name in the library.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

enum { FAKE_ARGS = 8, FAKE_LAUNCHES = 16 };

/* One launch as the driver got it; the first fake_cuda.n_arg arguments, of 8
 * bytes each.
 */
struct fake_launch {
	char name[32];
	unsigned grid[3], block[3], shared;
	void *ctx, *stream;
	uint64_t arg[FAKE_ARGS];
};

struct fake_cuda {
	/* script: the "fail_at"-th call from now on (1: the next), or each
	 * call of "fail_name", returns "result"; 0 and NULL: none. If
	 * "sticky", its context then fails each later call in the same way.
	 */
	int fail_at;
	const char *fail_name;
	int result, sticky;
	int device_count;
	void *current;		/* the context of threads that set none */
	unsigned long long context_id;	/* its number; 0: the address */
	int capturing;		/* what a stream says of itself */
	const char *log;	/* what the compiler says of a module */
	size_t page;		/* memory is known in pieces of it; 0: whole */
	int any_memory;		/* what is not allocated is known, too */
	int n_arg;		/* see struct fake_launch */
	void (*kernel)(const struct fake_launch *l);	/* runs a launch */
	/* The calling thread's own context; NULL: fake_cuda.current. */
	void (*set_current)(void *ctx);
	/* Destroy a context of the test with all that is in it. Returns what
	 * it was: modules, allocations, streams and events together.
	 */
	int (*end_context)(void *ctx);
	/* what happened */
	int calls;		/* all but ctx push and pop */
	const char *last;	/* name of the call that failed last */
	int contexts, pushed, modules, allocations, streams, events, graphs;
	double ms, captured_at;	/* the clock; that of the capture's start */
	int no_context;		/* calls that needed a context and had none */
	int misused;		/* handles that are not alive, or not here */
	int orphans;		/* in primary contexts when they ended */
	int max_shared;		/* of cuFuncSetAttribute */
	char image[64];
	const void *loaded;	/* the image of the last module */
	unsigned stream_flags;
	unsigned grid[3], block[3], shared;	/* of the last launch */
	void *stream;		/* of the last call that has one */
	uint64_t arg0;		/* of the last launch, if n_arg is 0 */
	int32_t arg1;
	int launches, early;	/* those that may begin early are both */
	int waits;		/* of streams for events */
	struct fake_launch launch[FAKE_LAUNCHES];	/* the last ones */
};
extern struct fake_cuda fake_cuda;

/* Bytes of the allocation at "ptr"; for kernels. */
size_t fake_cuda_size(uint64_t ptr);
/* Let time pass on the device. */
void fake_cuda_spend(double ms);

#endif

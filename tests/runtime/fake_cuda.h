/* What a test can see of the fake CUDA driver, and tell it; "fake_cuda" is
 * looked up by name in the library.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdint.h>

struct fake_cuda {
	/* script: the "fail_at"-th counted call from now on (1: the next), or
	 * each call of "fail_name", returns "result"; 0 and NULL: none.
	 */
	int fail_at;
	const char *fail_name;
	int result;
	int device_count;
	void *current;		/* the current context */
	unsigned long long context_id;	/* its number */
	int capturing;		/* what a stream says of itself */
	const char *log;	/* what the compiler says of a module */
	/* what happened */
	int calls;		/* counted ones: all but ctx push and pop */
	const char *last;	/* name of the call that failed last */
	int contexts, pushed, modules, allocations, streams, events;
	int no_context;		/* calls that needed a context and had none */
	int max_shared;		/* of cuFuncSetAttribute */
	char image[64];
	const void *loaded;	/* the image of the last module */
	unsigned stream_flags;
	unsigned grid[3], block[3], shared;
	void *stream;
	uint64_t arg0;
	int32_t arg1;
};
extern struct fake_cuda fake_cuda;

#endif

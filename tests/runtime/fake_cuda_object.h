/* What the two files of the fake driver share. */
#ifndef FAKE_CUDA_OBJECT_H
#define FAKE_CUDA_OBJECT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include "fake_cuda.h"

enum { CONTEXT_MISSING = 201, INVALID_HANDLE = 400, NOT_FOUND = 500 };

/* The prototypes, from the table that the runtime reads. */
#define DRIVER(name, symbol, params) int symbol params;
#define OPTIONAL(name, symbol, params) int symbol params;
#include "../../runtime/cuda/driver.def"
#undef DRIVER
#undef OPTIONAL
#define CUDA(name, symbol, params) int symbol params;
#include "../../tools/bench/bench_cuda.def"
#undef CUDA

enum kind { MODULE, FUNCTION, ALLOCATION, STREAM, EVENT, GRAPH };

/* What is alive. A handle is the address of its object, but for memory. */
struct object {
	struct object *next;
	enum kind kind;
	void *ctx;
	struct object *module;	/* of a function */
	void *memory;		/* of an allocation, */
	size_t size;		/* its bytes */
	char name[32];		/* of a function */
	double ms;		/* the time of an event, the cost of a graph */
};

extern pthread_mutex_t fake_lock;
extern struct object *fake_alive;

/* Where "handle" is linked, if it is alive and in the current context. */
struct object **fake_find(void *handle, enum kind kind);
struct object *fake_add(enum kind kind);
int fake_make(const char *name, void **handle, enum kind kind);
/* What is destroyed is gone, even if the call reports a failure. */
int fake_destroy(const char *name, void *handle, enum kind kind);
/* A call on an object that stays. */
int fake_use(const char *name, void *handle, enum kind kind);
void *fake_current(void);
/* Begin a call: to be ended by "end". */
int fake_begin(const char *name);
/* The same for a call that needs a context. */
int fake_begin_inside(const char *name);
int fake_end(int r);

#endif

/* Programs whose text is edited, and their run on the host device. */
#ifndef PLANTED_H
#define PLANTED_H

#include "frontend/frontend.h"
#include "nvptx/nvptx.h"
#include "runtime/cetane_rt.h"
#include "runtime/device/device.h"
#include "tests/polyir/edit.h"

enum { M = 70, K = 33, N = 65, MAX_ARRAY = 12, MAX_ARG = 20 };

#define ALL_CHECKS (CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE)

struct world {
	isl_ctx *ctx;
	struct poly_report report;
	struct poly_prog *prog;
};

/* A program on the host device, with its arrays. */
struct host {
	struct nvptx_module *module;
	const struct nvptx_plan *plan;
	struct cetane_device *dev;
	struct cetane_module *code;
	int64_t size[8];		/* of the parameters */
	cetane_ptr at[MAX_ARRAY];
	size_t n[MAX_ARRAY];		/* elements */
	float *data[MAX_ARRAY];
};

void open_world(struct world *w);
void close_world(struct world *w);
/* Compile "source" in the way of "o"; its text. */
struct poly_str compile_as(const char *source,
	const struct poly_options *o);
struct poly_str compile(const char *source);
/* Compile "source" and edit it. */
struct poly_str broken(const char *source, const struct edit *edit,
	int n);
void release(struct host *h);
/* Run all kernels with "checks" and "seed"; the findings stay with the device,
 * the outputs in h->data until "release".
 */
void run(struct host *h, unsigned checks, uint64_t seed);
/* The same of a program of one launch and one block, to find races, with the barrier number
 * "barrier" left out by all threads; -1: none. How many each thread comes to.
 */
int run_without(struct host *h, int barrier, uint64_t seed);
void open_host(struct host *h, struct world *w,
	const struct poly_str *text);
void close_host(struct host *h, struct world *w);
/* Does a finding that begins with "kind" name "what"? */
bool finds(struct host *h, const char *kind, const char *what);
const float *array(const struct host *h, const char *name);

#endif

/* Programs for tests of the lowering, mapped by hand: no pass is involved. */
#ifndef TESTS_NVPTX_PROGRAM_H
#define TESTS_NVPTX_PROGRAM_H

#include "nvptx/nvptx.h"
#include "runtime/cetane_rt.h"
#include "tests/polyir/read.h"

/* A program under test with what it needs around it. */
struct unit {
	isl_ctx *ctx;
	struct poly_report report;
	struct poly_prog *prog;
};
void unit_begin(struct unit *u, const char *name);
/* Fails the test if isl objects are left. */
void unit_end(struct unit *u);
/* Fails the test if "u" has messages, and prints them. */
void unit_is_clean(struct unit *u);

void param(struct unit *u, const char *name);
struct poly_array *array(struct unit *u, const char *name,
	enum poly_type type, enum poly_role role, const char *extent);
struct poly_stmt *stmt(struct unit *u, const char *name, enum poly_kind kind,
	const char *domain);
void writes(struct unit *u, struct poly_stmt *s, struct poly_array *a,
	const char *index, enum poly_op reduce, struct poly_expr *rhs);
struct poly_expr *reads(struct unit *u, struct poly_array *a,
	const char *index);
/* Add "member" with "at" to tile operation "s". */
void has_member(struct unit *u, struct poly_stmt *s, struct poly_stmt *member,
	const char *at);
/* A kernel named "k" with the given grid. */
struct poly_kernel *kernel(struct unit *u, bool tiled, const int thread[2],
	const int tile[2], int tile_k, const char *grid0, const char *grid1);
void schedule(struct unit *u, const char *text);

/* Kernels below the default sizes have tiles of 8 x 8 x 4 and 4 x 4 threads. */
enum gemm_flaw {
	GEMM_RIGHT, GEMM_NO_BARRIER, GEMM_WRONG_INDEX
};
/* C[M,N] = relu(A[M,K] * B[K,N] + b[0,N]) in tiles; "acc" is the type of the
 * accumulator.
 */
void gemm(struct unit *u, enum poly_type type, enum poly_type acc, bool large,
	enum gemm_flaw flaw);
/* The same without bias, one thread a point: C = 0; C += A * B. */
void naive_matmul(struct unit *u, enum poly_type type);

/* A lowered program on the host device. */
struct host {
	struct cetane_device *dev;
	struct nvptx_module *module;
	struct cetane_module *code;
};
void host_begin(struct host *h, struct unit *u, bool checked, bool wide);
void host_begin_with(struct host *h, struct unit *u,
	const struct nvptx_options *o);
/* Run all kernels on the arrays "data" (in program order, elements as in the
 * plan); sizes in "param". Arrays are copied in before and out after.
 */
enum cetane_status host_run(struct host *h, const int64_t *param,
	void *const *data);
void host_end(struct host *h);

/* The program lowered for "target"; fails the test on error. */
struct nvptx_module *gpu_module(struct unit *u, const char *target);
/* PTX of the program for "target"; fails the test on error. */
struct poly_str gpu_text(struct unit *u, const char *target);

#endif

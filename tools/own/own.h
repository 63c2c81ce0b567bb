/* The verb bench on programs of the user's own: what its files share; grouped by file.
 *
 * A *rival* computes what the program does: a C function of a shared object, or a
 * function of Python. It is called on the same arrays, verified as ours is, and timed
 * by the same protocol (tools/bench/bench_rounds.c).
 */
#ifndef TOOLS_OWN_H
#define TOOLS_OWN_H

#include "tools/bench/bench.h"
#include "tools/lib/compile/compile.h"

enum { TOOL_OWN_RIVALS = 4 };

/* Arrays that a rival sees: inputs, then outputs that are no inputs. */
struct tool_own_array {
	const struct tool_matrix *m;
	int place;		/* in the launch record, or -1: no kernel needs it */
	int64_t bytes;
};
/* A program at one size, on a device. "at" are the addresses of all arrays of the record
 * in each of "n_set" sets; what is not of the first set is in "block". "gpu" is closed
 * on the host device.
 */
struct tool_own {
	const struct tool_options *o;
	struct tool_run r;
	struct tool_compile front, c;	/* read, and compiled */
	struct tool_exec x;
	struct tool_cuda *gpu;	/* NULL: the host device */
	struct cetane_rt_cuda_stream stream;	/* that of "gpu", for our kernels */
	struct tool_own_array *array;
	int n_array;
	cetane_ptr *at, *block;
	int n_set, n_block;
	int64_t bytes;		/* of the arrays, each once */
	double work;		/* operations */
	double predicted_ms;	/* by the model of time; 0: it knows no such device */
};
/* The address of array "i" in set "set"; 0 if no kernel needs it. */
cetane_ptr tool_own_at(const struct tool_own *w, int set, int i);

/* ---------------------------------------------------------------- rival.c */

struct tool_python;	/* rival_python.c */
/* As the option names it: "LIB.so:FUNCTION" or "FILE.py:FUNCTION". */
struct tool_rival {
	const char *name;	/* of the function; in "spec" */
	const char *shown;	/* without its folder; in "spec" */
	char *spec, *path;
	void *library;
	int (*fn)(const int64_t *size, void *const *array, void *stream);
	struct tool_python *python;
};
/* What is wrong with the text of an option, or NULL. */
const char *tool_rival_wrong(const char *spec);
/* Open the rival "spec" for the program "w". Close it in any case. */
enum tool_exit tool_rival_open(struct tool_rival *v, const char *spec,
	const struct tool_own *w);
/* Call it once on the arrays of "set"; one of Python cannot be called so. */
enum tool_exit tool_rival_call(const struct tool_rival *v,
	const struct tool_own *w, int set);
void tool_rival_close(struct tool_rival *v);

/* --------------------------------------------------------- rival_python.c */

/* A process of Python that has the function "name" of the file "path", and copies of all
 * sets of the program's arrays. NULL, having said why.
 */
struct tool_python *tool_python_open(const char *path, const char *name,
	const struct tool_own *w);
/* Let it run "calls" calls; "*ms" is how long all of them took. */
enum tool_exit tool_python_run(struct tool_python *p, int calls, double *ms);
/* Give its arrays what the program's have at first; fill the outputs with NaN. */
void tool_python_reset(struct tool_python *p, const struct tool_own *w);
/* Its outputs, to the matrices of the program. */
void tool_python_fetch(const struct tool_python *p, struct tool_own *w);
void tool_python_close(struct tool_python *p);

/* ------------------------------------------------------------- own_roof.c */

/* Bytes that copies of memory by all processors read and write in a second, and the
 * bytes of the largest cache.
 */
double tool_host_copy_rate(void);
int64_t tool_host_cache(void);
/* The share of what a device can do in "ms": memory by a copy, and of a GPU, unless it is
 * NULL, arithmetic in types whose peak is known.
 */
double tool_own_share(const struct tool_cuda *g, double copy_rate,
	const char *type, double work, double bytes, double ms);

/* -------------------------------------------------------------- own_run.c */

/* Read, compile, load and verify the program of "src" with the sizes of "o", on the
 * device of "o" or on "gpu". Close it in any case; returns "status", or what closing
 * it finds.
 */
enum tool_exit tool_own_open(struct tool_own *w, const struct tool_options *o,
	const struct tool_source *src, struct tool_cuda *gpu);
enum tool_exit tool_own_close(struct tool_own *w, enum tool_exit status);
/* Launch the program once on the arrays of "set". */
enum tool_exit tool_own_launch(struct tool_own *w, int set);
/* Verify what is in the outputs of the rival. */
enum tool_exit tool_own_judge(struct tool_own *w, struct tool_rival *v);

/* ------------------------------------------------------------- own_time.c */

/* Time the program and "n" rivals in turn. "side", 1 + n of them, receives the times, the
 * program's first; returns the rounds in "*rounds".
 */
enum tool_exit tool_own_time(struct tool_own *w, struct tool_rival *v, int n,
	struct tool_round_side *side, int *rounds, struct tool_clock *clock);

/* ------------------------------------------------------------ own_model.c */

/* Print how far the model's times are off what was measured, over the sizes of "row", of
 * which there are "n": the median, and what nine of ten are within.
 */
void tool_own_print_error(const struct tool_bench_result *row, int n, FILE *out);
/* Say where the reasons are, if a row of a GPU is far from the roofline. */
void tool_own_print_limits(const struct tool_bench_result *row, int n, FILE *out);

/* ------------------------------------------------------------------ own.c */

/* Is --device one that programs of the user's own run on? */
enum tool_exit tool_own_check_device(const struct tool_options *o);
/* The verb bench with a file. */
enum tool_exit tool_own_bench(struct tool_options *o);

#endif

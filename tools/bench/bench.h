/* The verb bench: what its files share; grouped by file.
 *
 * A *form* is a program with what it is measured against: its *bases*, calls
 * of a library, a copy of memory, or another program of ours. A *row* is a
 * form at one size. Its *sides*, ours and the bases, run in turn in the same
 * process, on the same inputs, each as a graph of several launches.
 */
#ifndef TOOLS_BENCH_H
#define TOOLS_BENCH_H

#include "runtime/cuda/cuda.h"
#include "runtime/image/image.h"
#include "tools/tools.h"

enum {
	TOOL_BENCH_N_SIZE = 16,	/* most sizes of a form */
	TOOL_BENCH_NAME = 65,	/* bytes of a size's or an array's name, and NUL */
	TOOL_BENCH_N_ARRAY = 10,	/* most inputs and outputs */
	TOOL_BENCH_N_BASE = 2,	/* of a form */
	TOOL_BENCH_BASES = 5,	/* of a row: with those that options add */
	TOOL_BENCH_N_ROUND = 25,
	TOOL_BENCH_N_SET = 4096	/* most sets of the arrays of a row */
};

/* ------------------------------------------------------------ bench_cuda.c */

/* A GPU as benchmarks see it: beside the device of the runtime, which loads
 * and launches our kernels, the driver itself. Its primary context is current
 * in the calling thread.
 */
struct tool_cuda {
#define CUDA(name, symbol, params) int (*name) params;
#include "tools/bench/bench_cuda.def"
#undef CUDA
	struct cetane_device *dev;
	struct cetane_rt_cuda_stream stream;	/* the same as "handle" */
	int ordinal;		/* CUdevice */
	void *ctx;
	void *handle;		/* CUstream */
	void *start, *stop;	/* events */
	int version;		/* of the driver's CUDA, 13000: 13.0 */
	int multiprocessors, clock_mhz, threads;	/* of each */
	int64_t l2;		/* bytes */
	double flops[2];	/* peak of f32 and f64, without tensor cores */
	double copy_rate;	/* bytes read and written a second; 0: unknown */
	void *nvml;		/* what the library knows of the device */
};
/* Open "name", "cuda" or "cuda:N". Call tool_cuda_close in any case. */
enum tool_exit tool_cuda_open(struct tool_cuda *g, const char *name);
void tool_cuda_close(struct tool_cuda *g);
/* TOOL_OK if "result" of the driver's entry point "what" is 0; otherwise say
 * so.
 */
enum tool_exit tool_cuda_judge(const struct tool_cuda *g, const char *what,
	int result);
/* Milliseconds between the two events; waits for the second. */
enum tool_exit tool_cuda_elapsed(struct tool_cuda *g, double *ms);
/* Find out the rate of a copy of memory. */
enum tool_exit tool_cuda_measure_copy(struct tool_cuda *g);

/* What the GPU does at this moment; 0 where nothing is known. "throttle" has
 * the bits that the management library gives for reasons of slow clocks.
 */
struct tool_clock {
	unsigned mhz, watt;
	unsigned long long throttle;
};
struct tool_clock tool_cuda_clock(const struct tool_cuda *g);

/* Make what "launch" launches as side "k" a graph, in the place of "*graph"; run the
 * graph, or, if it is NULL, the launches; milliseconds of that, between two events.
 */
typedef enum tool_exit tool_launches(void *user, int k);
enum tool_exit tool_graph_make(struct tool_cuda *g, tool_launches *launch,
	void *user, int k, void **graph);
enum tool_exit tool_graph_run(struct tool_cuda *g, tool_launches *launch,
	void *user, int k, void *graph);
enum tool_exit tool_graph_time(struct tool_cuda *g, tool_launches *launch,
	void *user, int k, void *graph, double *ms);
void tool_graph_free(struct tool_cuda *g, void **graph);

/* --------------------------------------------------------- bench_library.c */

enum tool_library { TOOL_CUBLAS, TOOL_CUBLASLT, TOOL_CUDNN, TOOL_N_LIBRARY };

/* A result of cublasLtMatmulAlgoGetHeuristic. */
struct tool_lt_result {
	uint64_t algo[8];
	size_t work_size;
	int state;
	float waves;
	int reserved[4];
};
/* The libraries that were found, each with a handle on the stream of the GPU.
 * What is prepared for the present row is in "plan".
 */
struct tool_libraries {
#define LIBRARY(which, name, symbol, params) int (*name) params;
#include "tools/bench/bench_library.def"
#undef LIBRARY
	const struct tool_cuda *gpu;
	bool there[TOOL_N_LIBRARY];
	char *path[TOOL_N_LIBRARY];
	int number[TOOL_N_LIBRARY];	/* versions as the libraries give them */
	void *handle[TOOL_N_LIBRARY];
	uint64_t work, temp;	/* a workspace that they share; of the row */
	void *plan[8];
	struct tool_lt_result choice;
};
enum { TOOL_LIBRARY_WORK = 32 << 20 };
/* Open the library "which": at "path", a file or its folder, or, if that is
 * NULL, where the loader, a CUDA toolkit or a package of Python has it. If
 * there is none that starts, says so and returns TOOL_OK: then there[which] is
 * false.
 */
enum tool_exit tool_library_open(struct tool_libraries *l,
	enum tool_library which, const char *path);
/* "cuBLAS" and so on. */
const char *tool_library_name(enum tool_library which);
void tool_libraries_close(struct tool_libraries *l);

/* ------------------------------------------------------------ bench_data.c */

/* Random numbers of a normal distribution, rounded to f32: element "i" of
 * input "array" is number (offset of the array + i) modulo a prime, so that
 * the host knows each element without a copy of it.
 */
struct tool_bench_data {
	float *value;
	int64_t n;
	uint64_t ptr[POLY_N_TYPE];	/* the same on the device, as those of a type */
	uint64_t seed;
	void *user;		/* of the reference of a form, if it needs it */
};
enum tool_exit tool_bench_data_make(struct tool_bench_data *d, uint64_t seed);
void tool_bench_data_free(struct tool_bench_data *d, struct tool_cuda *g);
double tool_bench_element(const struct tool_bench_data *d, int array,
	int64_t i);
/* Fill "count" elements of type "type" at "ptr" of the device with those of input "array". */
enum tool_exit tool_bench_fill(struct tool_bench_data *d, struct tool_cuda *g,
	int array, enum poly_type type, uint64_t ptr, int64_t count);

/* ------------------------------------------------------------ bench_form.c */

/* What an element of an output should be, give or take "bound". */
struct tool_bench_value {
	double value, bound;
};
/* A call of a library: "n" are the sizes of the row, "ptr" its arrays, inputs
 * first. Returns what the library does.
 */
typedef int tool_bench_call(struct tool_libraries *l, const int64_t *n,
	const uint64_t *ptr);
/* "call" is NULL for what the other members say. */
struct tool_bench_base {
	const char *name;
	unsigned libraries;	/* 1 << enum tool_library: those it needs */
	tool_bench_call *call;
	tool_bench_call *prepare;	/* before the launches of a row, or NULL */
	bool is_copy;		/* a copy that moves as many bytes as we do */
	const char *rival;	/* a form of ours, its sizes all the same */
};
/* "sizes" and "arrays" are names in the text, parted by spaces; inputs come
 * before outputs. "start" gives for each output the input whose values the
 * libraries find there, or -1.
 */
struct tool_bench_form {
	const char *suite, *name, *text, *sizes, *arrays;
	int n_out;
	int start;
	bool is_f64, cold;
	double (*work)(const int64_t *n);	/* arithmetic operations */
	double (*issued)(double work);	/* instructions, if there is a rival */
	struct tool_bench_value (*reference)(const struct tool_bench_data *d,
		const int64_t *n, int out, int64_t i);
	struct tool_bench_base base[TOOL_BENCH_N_BASE];
	const char *list;	/* sizes, unless others are given */
	bool marked;		/* of a list, only sizes with the mark t */
	const char *type;	/* of a user's own program */
	const enum poly_type *element;	/* of its arrays; NULL: of "is_f64" */
};
extern const struct tool_bench_form tool_bench_form[];
extern const int tool_bench_n_form;
/* The form with that suite and name; NULL if there is none. */
const struct tool_bench_form *tool_bench_find(const char *suite,
	const char *name);
enum poly_type tool_bench_type(const struct tool_bench_form *f, int array);
/* The number of words in "names". */
int tool_bench_words(const char *names);
/* Word "i" of "names" at "text". */
void tool_bench_word(const char *names, int i, char *text, size_t size);

/* ------------------------------------------------------------ bench_size.c */

struct tool_bench_size {
	int64_t n[TOOL_BENCH_N_SIZE];
	int count;
	char mark[4];
};
struct tool_bench_sizes {
	struct tool_bench_size *item;
	int n, cap;
};
/* Read the sizes that --sizes gives: a file, a size a line, or "random:SEED".
 * Without that option there are none. Returns TOOL_INPUT or TOOL_USAGE, having
 * said why.
 */
enum tool_exit tool_bench_sizes_read(struct tool_bench_sizes *s,
	const struct tool_options *o);
bool tool_bench_size_add(struct tool_bench_sizes *s,
	const struct tool_bench_size *size);
/* Append the sizes of the text "list", each of "count" numbers: numbers parted
 * by spaces, sizes by semicolons; "128:512:64" are the sizes of equal numbers
 * from 128 to 512 in steps of 64. False without memory.
 */
bool tool_bench_sizes_add(struct tool_bench_sizes *s, const char *list,
	int count);
void tool_bench_sizes_free(struct tool_bench_sizes *s);

/* --------------------------------------------------------- bench_program.c */

/* For one size, with the model's choice or with that of --tuning or --config;
 * or for any.
 */
enum tool_bench_how { TOOL_BENCH_FIXED, TOOL_BENCH_TUNED, TOOL_BENCH_CONFIGURED,
	TOOL_BENCH_ANY };
/* A program of ours for one size, compiled: at first a file. */
struct tool_bench_program {
	const struct tool_bench_form *form;
	struct tool_bench_size size;
	char *path;
	char *other;		/* with --against: the same of another build */
	bool is_row;		/* it is not only a rival of others */
	enum tool_bench_how how;
	bool failed;		/* it could not be compiled */
	const char *config;	/* as a file of --config; NULL: the model's */
	const char *decisions;	/* of the script of --schedule, as --decisions */
	struct tool_source file;
	struct cetane_module *module;
	struct cetane_rt_record *record;
	struct cetane_function **fn;
	int64_t param[TOOL_BENCH_N_SIZE];
	cetane_ptr work;
	bool is_ptx;
	int place[TOOL_BENCH_N_ARRAY];	/* in the record, of the form's arrays */
	int64_t bytes[TOOL_BENCH_N_ARRAY];
};
/* Load the file of "p". Call tool_bench_program_free in any case. */
enum tool_exit tool_bench_program_load(struct tool_bench_program *p,
	struct tool_cuda *g);
/* Launch the program on the stream of "g"; "ptr" are the form's arrays. */
enum tool_exit tool_bench_program_launch(struct tool_bench_program *p,
	struct tool_cuda *g, const uint64_t *ptr);
/* What the kernels "fn" of a record take: the most registers of a thread, bytes of
 * shared memory of a block and of stack (spills are among them) of a thread;
 * and the least part of the threads of a multiprocessor that can be there.
 */
struct tool_usage {
	int kernels, registers, shared, local;
	double occupancy;
	bool is_ptx;		/* the driver has assembled it */
};
enum tool_exit tool_bench_usage(const struct cetane_rt_record *record,
	struct cetane_function *const *fn, struct tool_cuda *g,
	struct tool_usage *usage);
/* Free what was loaded. */
void tool_bench_program_free(struct tool_bench_program *p,
	struct tool_cuda *g);

/* --------------------------------------------------------- bench_compile.c */

/* What to compile for a program: the options, whose sizes have their values,
 * and the source. It must stay where it is. What has a configuration is one of
 * many, and verified when it runs; so it goes without the checks of passes.
 */
struct tool_bench_task {
	struct tool_options o;
	struct tool_source src;
	struct fe_define define[TOOL_BENCH_N_SIZE];
	char name[TOOL_BENCH_N_SIZE][TOOL_BENCH_NAME], file[128];
};
void tool_bench_task_set(struct tool_bench_task *t,
	const struct tool_options *o, const struct tool_bench_program *p);

/* Compile the programs whose files are not there, several at a time. Returns
 * what went wrong first; the programs concerned have "failed".
 */
enum tool_exit tool_bench_compile(const struct tool_options *o,
	const struct nvptx_target *target, struct tool_bench_program *program,
	int n, bool anew);

/* ---------------------------------------------------------- bench_rounds.c */

/* What is timed: "calls" launches in a round, which rotate over "n_set" sets of
 * arrays, 1 or more. "ms" are times of one launch, one a round.
 */
struct tool_round_side {
	int n_set, calls;
	double ms[TOOL_BENCH_N_ROUND];
	double median;
};
/* "ready" makes side "k" ready for its calls, "run" runs them and tells how long all of
 * them took. The first side is the one that others are compared with.
 */
struct tool_rounds {
	struct tool_round_side **side;
	int n_side;
	int least, most, rounds;
	double round_ms, idle_ms, warm_ms;
	uint64_t seed;
	enum tool_exit (*ready)(void *user, int k);
	enum tool_exit (*run)(void *user, int k, double *ms);
	void *user;
};
/* How many and how long rounds are, as the options say. */
void tool_rounds_regime(struct tool_rounds *r, const struct tool_options *o);
/* Time all sides in turn. */
enum tool_exit tool_rounds(struct tool_rounds *r);
double tool_bench_median(const double *x, int n);
/* The median of the ratios "a" / "b", and half the width of its 95 % interval
 * as a part of it.
 */
double tool_bench_ratio(const double *a, const double *b, int n,
	double *spread);

/* ------------------------------------------------------------ bench_time.c */

/* What is timed: launches of one side. */
struct tool_bench_side {
	const char *name;
	const struct tool_bench_base *base;	/* NULL: ours */
	struct tool_bench_program *program;	/* if it is one of ours */
	uint64_t ptr[TOOL_BENCH_N_ARRAY];	/* of the first set */
	uint64_t stride[TOOL_BENCH_N_ARRAY];	/* to the next set */
	int64_t copied;		/* bytes, if it is a copy */
	double scale;		/* of its times, to compare them with ours */
	void *graph;		/* NULL: launches go to the stream */
	struct tool_round_side round;
};
struct tool_bench_timing {
	struct tool_cuda *gpu;
	struct tool_libraries *lib;
	const int64_t *n;
	struct tool_bench_side side[1 + TOOL_BENCH_BASES];
	int n_side;
	struct tool_rounds r;
	struct tool_clock clock;
};
/* Launch side "k" once, on the arrays of "set". */
enum tool_exit tool_bench_launch(struct tool_bench_timing *t, int k, int set);
/* Time all sides in turn. */
enum tool_exit tool_bench_time(struct tool_bench_timing *t);
/* The time of one launch of ours with copies of the inputs from the host
 * before and of the outputs to the host behind it; "bytes" are of its arrays,
 * of which the last "n_out" are outputs.
 */
enum tool_exit tool_bench_time_end(struct tool_bench_timing *t,
	const int64_t *bytes, int n_array, int n_out, double *ms);
void tool_bench_time_free(struct tool_bench_timing *t);

/* ------------------------------------------------------------- bench_row.c */

/* SAME: the other build has made the same program; it was not run. */
enum tool_bench_state { TOOL_BENCH_FAILED, TOOL_BENCH_WRONG, TOOL_BENCH_RIGHT,
	TOOL_BENCH_SAME };

/* What came of a row against one base. Times are of one launch. */
struct tool_bench_result {
	const struct tool_bench_form *form;
	struct tool_bench_size size;
	char base[64];		/* "": none */
	enum tool_bench_state state;
	double ours_ms, base_ms, ratio, spread;
	double end_ms;		/* ours with copies from and to the host, or 0 */
	int rounds, calls;
	double work, bytes;	/* operations, inputs and outputs */
	double roof;		/* share of what the device can do; 0: unknown */
	double predicted_ms;	/* by the model of time; 0: unknown */
	double error;		/* largest, as a part of its bound */
	struct tool_usage usage;
	struct tool_clock clock;
	double ours[TOOL_BENCH_N_ROUND], theirs[TOOL_BENCH_N_ROUND];
	int n_sample;		/* rounds there; 0 of what was read back */
};
struct tool_bench {
	struct tool_options *o;
	struct tool_cuda gpu;
	struct tool_libraries lib;
	struct tool_bench_data data;
	struct tool_bench_sizes sizes;
	struct tool_bench_timing timing;	/* what all rows have in common */
	const struct nvptx_target *target;
	struct tool_bench_program *program;
	int n_program;
	struct tool_bench_result *result;
	int n_result, cap_result;
	char *folder;		/* of compiled programs */
	bool own_folder;
	uint32_t build;		/* of the command: a hash of its file */
	bool lacking;		/* a library that rows need is missing */
	void *pinned;		/* memory of the host for outputs */
	uint64_t tuning;	/* a hash of the file of --tuning; 0: none */
	uint64_t config;	/* the same of --config */
};
/* Run the row of program "p" and append its results. */
enum tool_exit tool_bench_row(struct tool_bench *b,
	struct tool_bench_program *p);
/* Run "p" alone, or against "against", which may be the same, both verified;
 * "*q" receives the result, in any case.
 */
enum tool_exit tool_bench_measure(struct tool_bench *b,
	struct tool_bench_program *p, struct tool_bench_program *against,
	struct tool_bench_result *q);
/* A new result at the end, all zero; NULL without memory. */
struct tool_bench_result *tool_bench_append(struct tool_bench *b);

/* ------------------------------------------------------------ bench_side.c */

/* How many of the bases of "form" can run: their libraries are there. */
int tool_bench_bases(const struct tool_bench *b,
	const struct tool_bench_form *form);

/* ------------------------------------------------------------ bench_plan.c */

/* TOOL_USAGE, having said so, if a word of "list" names no suite or form. */
enum tool_exit tool_bench_check_suites(const char *list);
/* Lay out the rows that the options ask for: the programs of "b", compiled or
 * to be compiled in its folder.
 */
enum tool_exit tool_bench_plan(struct tool_bench *b);
bool tool_bench_same_size(const struct tool_bench_size *a,
	const struct tool_bench_size *b);
/* Add the row of "form" at "size"; false without memory. */
bool tool_bench_add_row(struct tool_bench *b, const struct tool_bench_form *f,
	const struct tool_bench_size *size);
/* The program of "form" for "size", compiled in that way; NULL if there is none.
 */
struct tool_bench_program *tool_bench_program_of(struct tool_bench *b,
	const struct tool_bench_form *form,
	const struct tool_bench_size *size, enum tool_bench_how how);
/* The size of the rival of "form" at "size": as many points. */
struct tool_bench_size tool_bench_rival_size(
	const struct tool_bench_form *form, const struct tool_bench_size *size);

/* ---------------------------------------------------------- bench_report.c */

/* "4096x4096x32" at "text". */
void tool_bench_size_text(const struct tool_bench_size *s, char *text,
	size_t size);
void tool_bench_print_head(bool predicted, FILE *out);
void tool_bench_print_row(const struct tool_bench_result *r, FILE *out);
/* Say that the file "path" of --resume is none, and why. */
enum tool_exit tool_bench_bad_row(const char *path, const char *why);
/* Facts about the run, each line behind "mark". */
void tool_bench_print_facts(const struct tool_bench *b, const char *mark,
	FILE *out);
void tool_bench_write_tsv_head(const struct tool_bench *b, FILE *out);
void tool_bench_write_tsv_row(const struct tool_bench_result *r, FILE *out);
void tool_bench_write_json(const struct tool_bench *b, FILE *out);
/* The same of "n" results, on the device called "device", of which "facts" tells. */
void tool_bench_write_rows(const char *device, const char *facts,
	const struct tool_bench_result *r, int n, FILE *out);
/* Write the member "name" of an object of JSON: "n" numbers, those at "x" times
 * "scale".
 */
void tool_bench_write_samples(const char *name, const double *x, int n,
	double scale, FILE *out);
/* Take over the rows in "text", which is the file "path" and may be changed; its
 * last line may lack an end, and is no row then.
 */
typedef enum tool_exit tool_bench_rows(void *user, const char *path,
	char *text);
/* Have "read" take over the rows of the file of results "path", which is one of
 * this run; a last line without an end is removed from the file.
 */
enum tool_exit tool_bench_read_rows(const struct tool_bench *b,
	const char *path, tool_bench_rows *read, void *user);
/* Read the rows of "path" into "b". */
enum tool_exit tool_bench_resume(struct tool_bench *b, const char *path);

/* --------------------------------------------------------- bench_summary.c */

/* For each form and base the geometric mean of the ratios, the least, and how
 * many reach 1; the same for layouts against nn, and for sizes that are no
 * multiple of 16 against the next, by our own rate.
 */
void tool_bench_print_summary(const struct tool_bench *b, FILE *out);

/* ------------------------------------------------------------ bench_plot.c */

void tool_bench_write_svg(const struct tool_bench *b, FILE *out);
/* A bar for each of "n" rows, which are of "device": the ratios, or without rivals the
 * shares of the roofline.
 */
void tool_bench_bars(const struct tool_bench_result *r, int n,
	const char *device, FILE *out);

/* ---------------------------------------------------------- bench_verify.c */

/* Compare the outputs of side "k" of "t", on its first set of arrays, with
 * references at some places; if "other" is not negative, compare all elements
 * with those of that side, else look for elements that were not written.
 * "*error" becomes the largest error as a part of its bound. TOOL_MISMATCH,
 * having said what is wrong.
 */
enum tool_exit tool_bench_verify(struct tool_bench *b,
	const struct tool_bench_timing *t, int k, int other, double *error);

/* ----------------------------------------------------------------- bench.c */

/* True once a signal has asked to end. */
bool tool_bench_stopped(void);
/* Show how far the command is, on a terminal; NULL wipes it away. */
void tool_bench_progress(const char *what, int done, int n);

/* Open the device, choose the target, make the folder, and catch signals.
 * Then, before any row: the data, and what the device can do.
 */
enum tool_exit tool_bench_open(struct tool_bench *b);
enum tool_exit tool_bench_begin(struct tool_bench *b);
/* Seconds of a clock that does not go back. */
double tool_bench_seconds(void);
/* Close, remove and free what is in "b". */
void tool_bench_free(struct tool_bench *b);
enum tool_exit tool_bench(struct tool_options *o);

#endif

/* tools: the command "cetane". What its files share; grouped by file.
 *
 * A verb is a function from options to an exit code. Whatever reads a program
 * runs in a worker process (worker.c); what it wants to keep it writes to
 * outputs (output.c), which the parent puts in place when all went well.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/frontend.h"
#include "nvptx/nvptx.h"
#include "polyir/polyir.h"
#include "runtime/cetane_rt.h"

enum tool_exit {
	TOOL_OK = 0,
	TOOL_INPUT = 1,		/* the program or a file given is wrong */
	TOOL_USAGE = 2,
	TOOL_ENVIRONMENT = 3,	/* driver, assembler, device, file system */
	TOOL_LIMIT = 4,		/* time or memory */
	TOOL_MISMATCH = 5,	/* verification failed */
	TOOL_INTERNAL = 70
};

/* -------------------------------------------------------------- option.c */

enum tool_verb {
#define VERB(id, name, operand, help) TOOL_##id,
#define EMIT(id, name, suffix, stage, help)
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "option.def"
#undef VERB
#undef EMIT
#undef OPTION
	TOOL_N_VERB
};

enum tool_emit {
#define VERB(id, name, operand, help)
#define EMIT(id, name, suffix, stage, help) TOOL_EMIT_##id,
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "option.def"
#undef VERB
#undef EMIT
#undef OPTION
	TOOL_N_EMIT
};

enum tool_from { TOOL_FROM_DSL, TOOL_FROM_POLY, TOOL_FROM_LLVM };

enum tool_verify {
	TOOL_VERIFY_AUTO,	/* full if cheap, else sample */
	TOOL_VERIFY_FULL,	/* by the naive kernel in wide mode */
	TOOL_VERIFY_SAMPLE,	/* by the interpreter, points */
	TOOL_VERIFY_INTERP,	/* by the interpreter, all if cheap */
	TOOL_VERIFY_NONE
};

enum tool_color { TOOL_COLOR_AUTO, TOOL_COLOR_ALWAYS, TOOL_COLOR_NEVER };

enum { TOOL_MAX_ARCH = 32 };

struct tool_list {
	const char **item;
	int n;
};

/* A command line of strings of its own, with a NULL behind them. */
struct tool_args {
	char **item;
	int n, cap;
};

/* Strings of options belong to "args". */
struct tool_options {
	struct tool_args args;
	enum tool_verb verb;
	const char *file;	/* the verb's operand: FILE or CODE */

	const char *output, *arch, *map_name, *from_name, *dump_after;
	const char *stop_after;
	const char *device, *verify_name, *crash_dir, *color_name;
	struct tool_list emit_list, define_list, input_list, output_list;
	bool time_passes, roundtrip, parametric, no_check, checks;
	bool no_verify, in_process;
	bool help, version, verbose;
	int64_t seed, host_seed;
	int64_t memory_limit;	/* bytes, 0: none */
	double time_limit;	/* seconds, 0: none */

	unsigned emit;		/* 1 << enum tool_emit */
	enum tool_emit order[TOOL_N_EMIT];
	int n_order;		/* kinds in the order of the command line */
	enum tool_from from;
	enum poly_mapping mapping;
	enum tool_verify verify;
	const struct nvptx_target *target;	/* first of --arch, or NULL */
	const struct nvptx_target *arch_list[TOOL_MAX_ARCH];
	int n_arch;
	const char *name;
	struct fe_define *define;	/* names are owned */
	int n_define;
};

/* Fill "o" from the command line. Returns TOOL_OK, or TOOL_USAGE having
 * printed what is wrong and the nearest right spelling, or what reading a
 * file of arguments returns. --help and --version are answered here: then
 * "done" is set. Call tool_options_free in any case.
 */
enum tool_exit tool_options_parse(struct tool_options *o, int argc,
	char **argv, bool *done);
void tool_options_free(struct tool_options *o);
const char *tool_emit_name(enum tool_emit kind);
const char *tool_emit_suffix(enum tool_emit kind);

/* ---------------------------------------------------------------- args.c */

/* Copy the arguments to "args", those of the form @FILE replaced by the words
 * in FILE, up to "--"; the first is copied as it is. Words are parted by
 * white space; quotes and backslashes are those of a shell. Files may name
 * further files. Returns TOOL_OK, TOOL_INPUT if a file cannot be read, or
 * TOOL_USAGE, having printed why. Call tool_args_free in any case.
 */
enum tool_exit tool_args_expand(struct tool_args *args, int argc, char **argv);
void tool_args_free(struct tool_args *args);

/* ------------------------------------------------------------- message.c */

/* Say when messages are in colour; TOOL_COLOR_AUTO before the first call. */
void tool_color_choose(enum tool_color color);
/* True if messages on standard error are in colour: as chosen, and when that
 * is TOOL_COLOR_AUTO on a terminal unless $NO_COLOR is set or $TERM is dumb.
 */
bool tool_color(void);

/* Print the message "id" of polyir/message.def, which has no place in a
 * source: "cetane: error[E601]: ...".
 */
#define tool_message(id, ...)						\
	do {								\
		struct poly_report report_ = { 0 };			\
		poly_report_add(&report_, (id), NULL, __VA_ARGS__);	\
		tool_report_print(&report_);				\
	} while (0)
/* Print and free the messages. */
void tool_report_print(struct poly_report *report);
/* The exit code for a failure that "report" explains; "from" tells whether
 * poly IR and LLVM IR were the user's.
 */
enum tool_exit tool_exit_of(const struct poly_report *report,
	enum tool_from from);

/* -------------------------------------------------------------- source.c */

/* A whole file in memory, with a NUL behind it. */
struct tool_source {
	const char *name;	/* as given; "<stdin>" for - */
	char *text;
	size_t len;
};
/* Read "path" ("-": standard input); false, having printed why. */
bool tool_source_read(struct tool_source *s, const char *path);
void tool_source_free(struct tool_source *s);

/* -------------------------------------------------------------- output.c */

/* A file that appears whole or not at all. */
struct tool_output {
	char *path;	/* NULL: standard output */
	char *temp;	/* beside it; NULL: the content is put there by copy */
	int fd;
	struct tool_output *next;	/* of those with a temporary file */
};
/* Open the output "path" ("-": standard output) for writing to "fd"; false,
 * having printed why. Nothing is visible under "path" before the commit.
 * "out" must stay where it is until it is closed.
 */
bool tool_output_open(struct tool_output *out, const char *path);
/* Put all of them in place: streams first, because a full disk or a closed
 * pipe behind them is what can still fail, then the renames. False, having
 * printed why.
 */
bool tool_output_commit(struct tool_output *out, int n);
/* Close and free; what was not committed is removed. */
void tool_output_close(struct tool_output *out, int n);
/* Write all bytes; false on error, errno set. */
bool tool_write(int fd, const void *data, size_t size);
/* Remove the temporary files; for signal handlers. */
void tool_output_signal(void);

/* -------------------------------------------------------------- worker.c */

enum tool_stage {
#define STAGE(id, name) TOOL_STAGE_##id,
#include "stage.def"
#undef STAGE
	TOOL_N_STAGE
};
const char *tool_stage_name(enum tool_stage stage);

/* From now on let a signal that ends us end the worker, too, and remove the
 * temporary files; ignored signals stay ignored.
 */
void tool_catch_signals(void);
/* Run "fn" in a worker process and return its exit code. A worker that dies
 * gives TOOL_INTERNAL and a reproducer made from the command line and "src";
 * one that goes over a limit gives TOOL_LIMIT. Each is told with the stage.
 */
enum tool_exit tool_worker(const struct tool_options *o,
	const struct tool_source *src, enum tool_exit (*fn)(void *user),
	void *user);
/* In the worker: the stage begins. */
void tool_stage(enum tool_stage stage);
/* In the worker: the limits hold from here, and no longer hold. */
void tool_limits_on(const struct tool_options *o);
void tool_limits_off(void);

/* ------------------------------------------------------------- compile.c */

/* One compilation: what to do, and what came of it. */
struct tool_compile {
	const struct tool_options *options;
	const struct tool_source *source;
	unsigned stages;	/* 1 << enum tool_stage: which to run */
	unsigned emit;		/* 1 << enum tool_emit: what to print */
	struct poly_options poly;
	struct nvptx_options nvptx;
	bool ptx_will_do;	/* a missing assembler is no error */
	bool bare_file;		/* debug locations without the folder */
	bool dumped;		/* a dump was printed */

	struct fe_unit *unit;	/* not owned, if FE_READ is not run */
	isl_ctx *ctx;
	struct poly_prog *prog;
	struct nvptx_module *module;
	struct poly_str out[TOOL_N_EMIT];
	struct poly_str ptx, cubin;
	struct nvptx_usage *usage;
	int n_usage;
	void **kernel;		/* host entry points, one a launch */
	struct poly_report report;
};
/* Set up a compilation for "device" as the options say, from --from up to the
 * stage "last"; "unit", if not NULL, is what FE_READ would have given.
 */
void tool_compile_init(struct tool_compile *c, const struct tool_options *o,
	const struct tool_source *src, enum nvptx_device device,
	enum tool_stage last, struct fe_unit *unit);
/* Run the stages within the limits and print their messages. */
enum tool_exit tool_compile(struct tool_compile *c);
/* Free everything. Returns "status", or TOOL_INTERNAL with a message if isl
 * objects are left over.
 */
enum tool_exit tool_compile_free(struct tool_compile *c,
	enum tool_exit status);

/* --------------------------------------------------------------- build.c */

enum tool_exit tool_build(struct tool_options *o);
/* True if "path" is a folder, or must be one because it ends in a slash. */
bool tool_is_folder(const char *path);
/* The name of the input without folder, and without its suffix; owned by the
 * caller, NULL without memory.
 */
char *tool_base_name(const char *file);
char *tool_stem(const char *file);
enum tool_exit tool_check(struct tool_options *o);

/* ------------------------------------------------------------- version.c */

/* Print the version of the command; if "verbose", also of LLVM, isl, ptxas. */
void tool_print_version(bool verbose);
/* isl's version without its name, such as "0.25-GMP", at "text". */
void tool_isl_version(char *text, size_t size);

/* ------------------------------------------------------------- explain.c */

/* Print what is known of the message "o->file", such as E203, 203 or w231. */
enum tool_exit tool_explain(struct tool_options *o);

/* -------------------------------------------------------------- doctor.c */

/* Print what is found on this machine; TOOL_ENVIRONMENT if no GPU is usable.
 */
enum tool_exit tool_doctor(void);

/* -------------------------------------------------------------- object.c */

/* build --emit=object */
enum tool_exit tool_build_object(struct tool_options *o);

/* ----------------------------------------------------------------- npy.c */

/* An array of at most 8 dimensions, C order, in memory. */
struct tool_npy {
	enum poly_type type;
	int n_dim;
	int64_t dim[8];
	void *data;
	size_t size;
};
/* Read a .npy of version 1 or 2 from "text"; "want" tells bf16 from u16.
 * Returns NULL, or the reason as a constant text. "data" is the caller's.
 */
const char *tool_npy_read(struct tool_npy *a, const void *text, size_t len,
	enum poly_type want);
bool tool_npy_write(int fd, const struct tool_npy *a);

/* ---------------------------------------------------------------- data.c */

/* Number of elements, or of bytes; -1 if there are more than memory can hold.
 */
int64_t tool_elements(int n_dim, const int64_t *dim);
int64_t tool_bytes(int64_t n, int64_t element);
/* Element "i" of an array, as a number. */
double tool_get(enum poly_type type, const void *data, int64_t i);
/* Round "x" to the type and store it as element "i". */
void tool_set(enum poly_type type, void *data, int64_t i, double x);
/* Fill with seeded random numbers: floats uniform in [-1, 1], integers in
 * [-4, 4]; each element depends on seed, name and index alone.
 */
void tool_random(enum poly_type type, void *data, int64_t n, const char *name,
	uint64_t seed);
/* The i-th number of the stream "seed"; a hash of "len" bytes. */
uint64_t tool_random_bits(uint64_t seed, uint64_t i);
uint64_t tool_hash(uint64_t seed, const void *data, size_t len);

/* -------------------------------------------------------------- record.c */

struct cetane_rt_record;	/* runtime/image.h */
/* The launch record of "plan" for the program called "program"; the caller
 * frees it. With "unit", sizes have their names of the text, and inputs and
 * outputs its order. NULL, having said so, without memory.
 */
struct cetane_rt_record *tool_record(const struct nvptx_plan *plan,
	const struct fe_unit *unit, const char *program);

/* -------------------------------------------------------------- device.c */

/* A compiled program on a device, with memory for its arrays. */
struct tool_exec {
	struct cetane_device *dev;
	struct cetane_module *module;
	struct cetane_stream *stream;
	struct cetane_rt_record *record;
	struct cetane_function **fn;	/* one a kernel of the record */
	int64_t *param;		/* values in the record's order */
	cetane_ptr *ptr;	/* one an array */
	int64_t *size;		/* bytes, one an array */
	cetane_ptr work;	/* the temporaries, unless each is on its own */
	bool separate;
};
/* Take over the open device "dev", load what "c" compiled and allocate.
 * "value" gives the value of each size by name. With "separate", each
 * temporary is an allocation, so that checks see its bounds; otherwise all
 * share one workspace. Call tool_exec_free in any case.
 */
enum tool_exit tool_exec_init(struct tool_exec *x, struct cetane_device *dev,
	struct tool_compile *c, const struct fe_define *value, int n_value,
	bool separate);
/* The array "name" of the record, or -1. */
int tool_exec_find(const struct tool_exec *x, const char *name);
enum tool_exit tool_exec_upload(struct tool_exec *x, int array,
	const void *data);
enum tool_exit tool_exec_download(struct tool_exec *x, int array, void *data);
/* Fill outputs and temporaries with the byte "poison". */
enum tool_exit tool_exec_poison(struct tool_exec *x, unsigned char poison);
/* Launch all kernels in order on one stream and wait. */
enum tool_exit tool_exec_run(struct tool_exec *x);
void tool_exec_free(struct tool_exec *x);
/* Print what failed with the status and the runtime's own words; returns the
 * exit code.
 */
enum tool_exit tool_device_error(const char *what, enum cetane_status status);

/* ------------------------------------------------------------------ run.c */

/* A matrix of the program on the host. */
struct tool_matrix {
	const char *name;
	enum poly_type type;
	int64_t dim[2];
	int64_t n;		/* elements */
	void *data;
	struct tool_output *file;	/* of --output, or NULL */
};
struct tool_run {
	struct tool_options *o;
	struct tool_source src;
	struct tool_output *file;	/* of --output, in its order */
	int n_file;
	struct fe_unit *unit;
	struct fe_define *value;	/* of each size, in the unit's order */
	int n_value;
	struct fe_interp *interp;
	struct tool_matrix *in, *out;
	int n_in, n_out;
};
enum tool_exit tool_run(struct tool_options *o);
/* The architecture to compile for on a device of that capability: the
 * device's own, with its special features if there is such a row, else the
 * nearest older one; NULL if there is none.
 */
const struct nvptx_target *tool_choose_target(int capability);

/* --------------------------------------------------------------- verify.c */

/* Compare the outputs of a run with a reference and print one line each;
 * returns TOOL_MISMATCH at the first wrong element.
 */
enum tool_exit tool_verify(struct tool_run *r);

#endif

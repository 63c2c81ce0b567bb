/* tools/lib: the compiler as a library, libcetane. What its files share;
 * grouped by file. The interface for others is cetane.h.
 *
 * Nothing here prints or ends the process, except for a worker process, which
 * is ours.
 */
#ifndef TOOLS_LIB_LIB_H
#define TOOLS_LIB_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/frontend.h"
#include "nvptx/nvptx.h"
#include "polyir/polyir.h"
#include "runtime/cetane_rt.h"
#include "tools/lib/cetane.h"

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
#include "tools/lib/base/option.def"
#undef VERB
#undef EMIT
#undef OPTION
	TOOL_N_VERB
};

enum tool_emit {
#define VERB(id, name, operand, help)
#define EMIT(id, name, suffix, stage, help) TOOL_EMIT_##id,
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/lib/base/option.def"
#undef VERB
#undef EMIT
#undef OPTION
	TOOL_N_EMIT
};

enum tool_from { TOOL_FROM_DSL, TOOL_FROM_POLY, TOOL_FROM_LLVM };

enum tool_verify {
	TOOL_VERIFY_AUTO,	/* full if cheap, else sample */
	TOOL_VERIFY_FULL,	/* by the interpreter, everything */
	TOOL_VERIFY_SAMPLE,	/* by the interpreter, points */
	TOOL_VERIFY_NAIVE,	/* by the naive kernel in wide mode */
	TOOL_VERIFY_BOTH,	/* naive, then auto */
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

/* Strings of options belong to "args"; "arg_files" are the files that stood
 * there as @FILE.
 */
struct tool_options {
	struct tool_args args, arg_files;
	enum tool_verb verb;
	const char *file;	/* the verb's operand: FILE or CODE */

	const char *output, *arch, *map_name, *from_name, *dump_after;
	const char *stop_after, *depfile;
	const char *function, *fp_name, *config;
	const char *config_text;	/* what a file of --config would hold */
	const char *device, *verify_name, *crash_dir, *color_name;
	struct tool_list include_list, extent_list, live_out_list;
	struct tool_list emit_list, define_list, input_list, output_list;
	struct tool_list prefix_list, sanitize_list;
	unsigned checks;	/* enum cetane_check: those of the host device */
	bool time_passes, roundtrip, parametric, no_check;
	bool no_contract, ring, drop_in;
	const char *semantics_name;
	bool no_verify, in_process, tree, json, explain, svg, access,
		resources;
	const char *suite, *sizes, *mark, *resume, *tuning, *artifacts, *against;
	const char *cublas, *cublaslt, *cudnn, *regime_name, *gpu;
	bool compile_only, list, end_to_end, dry_run;
	int64_t repeat, jobs, budget, versions;
	double limit;		/* seconds, 0: none */
	bool help, version, verbose;
	bool no_memory;		/* for what the command line says */
	enum tool_color color;
	int log;	/* where dumps and times go, -1: nowhere */
	int64_t seed, host_seed, host_orders;
	int64_t memory_limit;	/* bytes, 0: none */
	double time_limit;	/* seconds of processor time, 0: none */

	unsigned emit;		/* 1 << enum tool_emit */
	enum tool_emit order[TOOL_N_EMIT];
	int n_order;		/* kinds in the order of the command line */
	enum tool_from from;
	enum poly_mapping mapping;
	enum poly_fp fp;	/* if fp_name is set */
	enum tool_verify verify;
	const struct nvptx_target *target;	/* first of --arch, or NULL */
	const struct nvptx_target *arch_list[TOOL_MAX_ARCH];
	int n_arch;
	const char *name;
	struct fe_define *define;	/* names are owned */
	int n_define;
};

/* Append a copy of "word"; TOOL_ENVIRONMENT, having said so, without memory. */
enum tool_exit tool_args_add(struct tool_args *args, const char *word);
void tool_args_free(struct tool_args *args);

/* Set the defaults; call tool_options_free afterwards. */
void tool_options_init(struct tool_options *o);
/* Read the verb and its options from o->args, where they stand behind the name
 * of the command. Returns TOOL_OK, or TOOL_USAGE having said what is wrong and
 * the nearest right spelling.
 */
enum tool_exit tool_options_read(struct tool_options *o);
/* Judge and convert what was read; returns as tool_options_read does. */
enum tool_exit tool_options_check(struct tool_options *o);
/* The index of "value" among the words of "option", or -1 with a message. */
int tool_choose(const char *option, const char *value);
/* Say what is wrong with the operand; returns TOOL_USAGE. */
enum tool_exit tool_bad_operand(const char *text);

/* debug.c: the words of $CETANE_DEBUG, which commas part; debug.def says what each
 * forces.
 */
enum tool_debug {
#define DEBUG(id, word, help) TOOL_DEBUG_##id,
#include "tools/lib/base/debug.def"
#undef DEBUG
	TOOL_N_DEBUG
};
enum { TOOL_MOST_DEBUG_NUMBER = 1000 };
struct tool_debug_row {
	const char *word, *help;
};
extern const struct tool_debug_row tool_debug_row[];
/* Is the word there, with "number" if it is one of those with a number? */
bool tool_debug_has(enum tool_debug what, int number);
/* Report a word that the table lacks; false if there is one. */
bool tool_debug_check(void);
void tool_options_free(struct tool_options *o);
const char *tool_emit_name(enum tool_emit kind);
const char *tool_emit_suffix(enum tool_emit kind);

/* ------------------------------------------------------------- message.c */

/* Who hears the messages of a thread: "hear" gets those of "report", which
 * speak of "file" and, if "text" is not NULL, of its "len" bytes. NULL: nobody.
 */
struct tool_ear {
	void (*hear)(void *user, const char *file, const char *text,
		size_t len, const struct poly_report *report);
	void *user;
};
/* From now on "ear" hears the calling thread; returns who did before. */
struct tool_ear tool_listen(struct tool_ear ear);
/* Tell why there is no "what": not enough memory if an allocation was refused, else
 * for a reason of our own, which nobody knows. Returns the exit code.
 */
enum tool_exit tool_no_memory(const char *what);
/* Tell and free the messages. */
void tool_tell(const char *file, const char *text, size_t len,
	struct poly_report *report);
void tool_report_tell(struct poly_report *report);	/* without a file */
/* Tell the message "id" of polyir/base/message.def, which has no place in a
 * source: "cetane: error[E601]: ...".
 */
#define tool_message(id, ...)						\
	do {								\
		struct poly_report report_ = { 0 };			\
		poly_report_add(&report_, (id), NULL, __VA_ARGS__);	\
		tool_report_tell(&report_);				\
	} while (0)
/* The exit code for a failure that "report" explains; "from" tells whether
 * poly IR and LLVM IR were the user's. A report that gives no reason, or speaks of
 * memory that nothing has refused, becomes that of an internal error.
 */
enum tool_exit tool_exit_of(struct poly_report *report, enum tool_from from);

/* ---------------------------------------------------------------- kind.c */

/* False, having reported why, if the file "name" is no program, going by its name,
 * and --from does not say what it is.
 */
bool tool_is_program(const struct tool_options *o, const char *name,
	struct poly_report *report);

/* -------------------------------------------------------------- source.c */

/* A whole file in memory, with a NUL behind it. */
struct tool_source {
	const char *name;	/* as given; "<stdin>" for - */
	char *text;
	size_t len;
};
/* The most bytes that are read of a text, and of what may be an artifact: what has
 * more is none, and a device or a pipe may have no end.
 */
enum { TOOL_MOST_TEXT = 32 << 20, TOOL_MOST_ARTIFACT = 256 << 20 };
/* Read "path" ("-": standard input; a file of that name for the second), of at most
 * "most" bytes; TOOL_INPUT, or TOOL_ENVIRONMENT if it cannot be read, having said
 * why.
 */
enum tool_exit tool_source_read(struct tool_source *s, const char *path,
	size_t most);
enum tool_exit tool_source_read_file(struct tool_source *s, const char *path,
	size_t most);
/* The rest of the file "fd", of at most TOOL_MOST_ARTIFACT bytes; false, errno set.
 * "s" is empty before.
 */
bool tool_source_read_fd(struct tool_source *s, int fd);
void tool_source_free(struct tool_source *s);

/* The name of a file without its folder; owned by the caller, NULL without
 * memory.
 */
char *tool_base_name(const char *file);
/* What outputs call the source "name": without its folder, unless
 * --file-prefix-map has a replacement for how it begins. Owned by the caller;
 * NULL without memory.
 */
char *tool_source_shown(const struct tool_options *o, const char *name);
bool tool_ends_with(const char *text, const char *end);
/* Write all bytes; false on error, errno set. */
bool tool_write(int fd, const void *data, size_t size);

/* --------------------------------------------------------------- stage.c */

enum tool_stage {
#define STAGE(id, name) TOOL_STAGE_##id,
#include "tools/lib/base/stage.def"
#undef STAGE
	TOOL_N_STAGE
};
const char *tool_stage_name(enum tool_stage stage);
/* In the worker: the stage begins. */
void tool_stage(enum tool_stage stage);
/* The name of the stage that runs; "cetane" if none does. */
const char *tool_stage_current(void);
/* In the worker: the limits hold from here, and no longer hold; false if what is
 * there exceeds one already.
 */
bool tool_limits_on(const struct tool_options *o);
void tool_limits_off(void);
/* memory.c: is an allocation refused because of the limit on memory? */
bool tool_memory_over(void);

/* -------------------------------------------------------------- worker.c */

/* What a worker does: call "fn" in a fork of this process; or execute the
 * program "helper", which compiles the program in the file "source" and writes
 * to the file "reply". "quiet": what it prints goes to the log.
 */
struct tool_work {
	enum tool_exit (*fn)(void *user);
	void *user;
	const char *helper;	/* a path, or NULL */
	char **argv;
	int source, reply;
	bool quiet;
};
/* How it ended. "stage" is NULL if that was in good order, else where it broke
 * for what reason: then "status" is TOOL_INTERNAL or TOOL_LIMIT. "error": why it
 * could not hand over its results, an errno, or 0.
 */
struct tool_end {
	enum tool_exit status;
	int error;
	const char *stage;
	char reason[128];
};
/* Work, in this process if the options say so, and wait for the end. What
 * broke is told.
 */
struct tool_end tool_work(const struct tool_options *o,
	const struct tool_work *work);
/* Kill the worker that was started last; for signal handlers. */
void tool_worker_kill(void);

/* --------------------------------------------------------------- reply.c */

/* Messages and outputs of a compilation; all zero before. */
struct tool_reply {
	bool colored;	/* render messages in colour */
	struct cetane_message *message;
	int n_message;
	struct cetane_output *output;
	int n_output;
};
/* Whoever adds to the reply what it hears. */
struct tool_ear tool_reply_ear(struct tool_reply *r);
/* Add an output; false without memory. */
bool tool_reply_add(struct tool_reply *r, const char *kind, const char *suffix,
	const void *data, size_t size);
/* Write the reply to "fd"; add to it what stands in "fd", of which a part may
 * be there on failure, but no output. False on failure.
 */
bool tool_reply_send(const struct tool_reply *r, int fd);
bool tool_reply_receive(struct tool_reply *r, int fd);
/* Free the outputs; the messages stay. */
void tool_reply_drop_outputs(struct tool_reply *r);
/* Add copies of the messages of "from". */
void tool_reply_copy_messages(struct tool_reply *r,
	const struct tool_reply *from);
/* Free and empty. */
void tool_reply_free(struct tool_reply *r);

/* ------------------------------------------------------------- request.c */

/* What to compile or check, as the options say, and how. */
struct tool_request {
	const struct tool_options *o;
	const struct tool_source *src;
	const char *helper;	/* program to execute as the worker, or NULL */
	bool quiet;
	struct tool_reply *reply;
};
/* Compile in a worker. Outputs and messages are added to the reply; a worker
 * that broke, not at a limit, gives the output "reproducer". Returns how it ended.
 */
struct tool_end tool_request(const struct tool_request *q);
/* The command as a worker of another process: true if the arguments ask for
 * that; "status" is then the exit code.
 */
bool tool_serve(int argc, char **argv, enum tool_exit *status);
/* The text of a report of how "end" came about: command line and source. */
void tool_reproducer(const struct tool_options *o,
	const struct tool_source *src, const struct tool_end *end,
	struct poly_str *out);

/* ---------------------------------------------------------------- make.c */

/* Compile or check as the options say, and add the outputs to "reply". */
enum tool_exit tool_make(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply);
struct tool_compile;
/* Add what "c", which has read the program, knows for a dependency file, if
 * there is to be one.
 */
enum tool_exit tool_make_headers(const struct tool_compile *c,
	struct tool_reply *reply);

/* -------------------------------------------------------------- object.c */

enum { TOOL_PART_OBJECT, TOOL_PART_HEADER, TOOL_PART_MANIFEST, TOOL_N_PART };
extern const char *const tool_part_suffix[TOOL_N_PART];
/* The object for all architectures, its header and its manifest. */
enum tool_exit tool_make_object(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply);

/* A fat binary of the same images. */
enum tool_exit tool_make_fatbin(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply);

/* ------------------------------------------------------------- runtime.c */

enum { TOOL_N_RUNTIME = 2 };
/* The names of the files of --emit=runtime, in the order of the outputs. */
extern const char *const tool_runtime_name[TOOL_N_RUNTIME];
/* The runtime as sources; the outputs have these names for suffixes. */
enum tool_exit tool_make_runtime(struct tool_reply *reply);

/* ---------------------------------------------------------- preprocess.c */

/* True if the input is a file of C. */
bool tool_is_c(const struct tool_options *o);
/* Preprocess and read the C file "src"; NULL, having reported why. "headers"
 * receives the names of the files that it includes, a line each.
 */
struct fe_unit *tool_read_c(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *headers,
	struct poly_report *report);

/* ------------------------------------------------------------- compile.c */

/* What code for the host device may call. */
enum { TOOL_MAX_HOST_SYMBOL = 32 };
extern const struct nvptx_symbol tool_host_symbol[];
extern const int tool_n_host_symbol;

/* What a build is for if nothing else is said. */
#define TOOL_DEFAULT_ARCH "sm_90a"

/* One compilation: what to do, and what came of it. */
struct tool_compile {
	const struct tool_options *options;
	const struct tool_source *source;
	unsigned stages;	/* 1 << enum tool_stage: which to run */
	unsigned emit;		/* 1 << enum tool_emit: what to print */
	enum tool_stage stage;	/* that runs or has run last */
	bool spent;		/* isl's budget; objects may be left over */
	struct poly_options poly;	/* its "config" is owned */
	struct nvptx_options nvptx;
	bool ptx_will_do;	/* a missing assembler is no error */
	bool shown_file;	/* debug locations by tool_source_shown */
	bool dumped;		/* a dump was printed */
	enum tool_exit unreadable;	/* why a file beside the source is not read */
	int tuned_line;		/* of --tuning, whose configuration is used */
	bool ran_short;		/* of memory */

	struct fe_unit *unit;	/* not owned, if FE_READ is not run */
	struct poly_str headers;	/* of a C file, a line each */
	isl_ctx *ctx;
	struct poly_prog *prog;
	struct poly_version *version;	/* beside "prog" */
	int n_version;
	struct poly_cost cost;		/* of "prog" */
	struct nvptx_module *module;
	struct poly_str out[TOOL_N_EMIT];
	struct poly_str ptx, cubin;
	struct nvptx_usage *usage;
	int n_usage;
	void **kernel;		/* host entry points, one a launch */
	struct poly_report report;
	struct poly_report remark;	/* those that report.remarks asks for */
};
/* Set up a compilation for "device" as the options say, from --from up to the
 * stage "last"; "unit", if not NULL, is what FE_READ would have given.
 */
void tool_compile_init(struct tool_compile *c, const struct tool_options *o,
	const struct tool_source *src, enum nvptx_device device,
	enum tool_stage last, struct fe_unit *unit);
/* Run the stages within the limits and tell their messages. */
enum tool_exit tool_compile(struct tool_compile *c);
/* Free everything. Returns "status", or TOOL_INTERNAL with a message if isl
 * objects are left over.
 */
enum tool_exit tool_compile_free(struct tool_compile *c,
	enum tool_exit status);
/* The unit as a program that reports to "report"; the sizes that the unit fixes
 * stay parameters if that was asked for.
 */
struct poly_prog *tool_lower(struct tool_compile *c,
	struct poly_report *report);

/* Let isl go on with a new budget, after it has spent one. */
void tool_renew_budget(struct tool_compile *c);

/* ------------------------------------------------------------- version.c */

/* Compile the versions of c->prog, which is compiled, that are worth it. A version
 * that cannot be compiled is left out. False without memory.
 */
bool tool_make_versions(struct tool_compile *c);
/* The module of c->prog and its versions. */
struct nvptx_module *tool_lower_versions(struct tool_compile *c);
void tool_versions_free(struct tool_compile *c);

/* -------------------------------------------------------------- record.c */

struct cetane_rt_record;	/* runtime/image.h */
/* The launch record of "plan" for the program called "program"; the caller
 * frees it. With "unit", sizes have their names of the text, and inputs and
 * outputs its order. NULL without memory.
 */
struct cetane_rt_record *tool_record(const struct nvptx_plan *plan,
	const struct fe_unit *unit, const char *program);

/* -------------------------------------------------------------- launch.c */

/* Let the launch record go with the text of c's module, if that is wanted. False
 * without memory.
 */
bool tool_launch_note(struct tool_compile *c);
/* The record of the compiled "c", as tool_record makes it with "unit". Of LLVM IR, it
 * is what went with the text, or NULL if nothing did. The caller frees it. What
 * fails is told.
 */
enum tool_exit tool_launch_record(struct tool_compile *c,
	const struct fe_unit *unit, struct cetane_rt_record **record);
/* See that every -D names a size of "r", and gives one that is fixed its value. */
enum tool_exit tool_launch_defines(const struct tool_options *o,
	const struct cetane_rt_record *r);

/* ------------------------------------------------------------ manifest.c */

/* isl's version without its name, such as "0.25-GMP", at "text". */
void tool_isl_version(char *text, size_t size);

#endif

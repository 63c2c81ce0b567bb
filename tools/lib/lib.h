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
#include "tools/lib/option.def"
#undef VERB
#undef EMIT
#undef OPTION
	TOOL_N_VERB
};

enum tool_emit {
#define VERB(id, name, operand, help)
#define EMIT(id, name, suffix, stage, help) TOOL_EMIT_##id,
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/lib/option.def"
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

/* Strings of options belong to "args"; "arg_files" are the files that stood
 * there as @FILE.
 */
struct tool_options {
	struct tool_args args, arg_files;
	enum tool_verb verb;
	const char *file;	/* the verb's operand: FILE or CODE */

	const char *output, *arch, *map_name, *from_name, *dump_after;
	const char *stop_after, *depfile;
	const char *device, *verify_name, *crash_dir, *color_name;
	struct tool_list emit_list, define_list, input_list, output_list;
	struct tool_list prefix_list;
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
void tool_options_free(struct tool_options *o);
const char *tool_emit_name(enum tool_emit kind);
const char *tool_emit_suffix(enum tool_emit kind);

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

/* The name of a file without its folder; owned by the caller, NULL without
 * memory.
 */
char *tool_base_name(const char *file);
/* What outputs call the source "name": without its folder, unless
 * --file-prefix-map has a replacement for how it begins. Owned by the caller;
 * NULL without memory.
 */
char *tool_source_shown(const struct tool_options *o, const char *name);
/* Write all bytes; false on error, errno set. */
bool tool_write(int fd, const void *data, size_t size);

/* -------------------------------------------------------------- worker.c */

enum tool_stage {
#define STAGE(id, name) TOOL_STAGE_##id,
#include "tools/lib/stage.def"
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
	bool shown_file;	/* debug locations by tool_source_shown */
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

/* -------------------------------------------------------------- record.c */

struct cetane_rt_record;	/* runtime/image.h */
/* The launch record of "plan" for the program called "program"; the caller
 * frees it. With "unit", sizes have their names of the text, and inputs and
 * outputs its order. NULL, having said so, without memory.
 */
struct cetane_rt_record *tool_record(const struct nvptx_plan *plan,
	const struct fe_unit *unit, const char *program);

/* ------------------------------------------------------------ manifest.c */

/* isl's version without its name, such as "0.25-GMP", at "text". */
void tool_isl_version(char *text, size_t size);

#endif

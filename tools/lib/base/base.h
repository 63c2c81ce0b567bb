/* tools/lib/base: options, sources, messages and replies; grouped by file. Nothing
 * here prints or ends the process, except for a worker process, which is ours.
 */
#ifndef TOOLS_LIB_BASE_H
#define TOOLS_LIB_BASE_H

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

/* ---------------------------------------------------------------- option.c */

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

enum tool_format { TOOL_FORMAT_TEXT, TOOL_FORMAT_JSON };

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
	struct tool_list file_list;	/* of a verb that takes several */

	const char *output, *arch, *map_name, *from_name, *dump_after;
	const char *stop_after, *depfile;
	const char *function, *fp_name, *config, *schedule, *decisions;
	const char *config_text;	/* what a file of --config would hold */
	const char *decisions_text;	/* of --decisions, where names are open */
	const char *device, *verify_name, *crash_dir, *color_name;
	struct tool_list include_list, extent_list, live_out_list;
	struct tool_list emit_list, define_list, input_list, output_list;
	struct tool_list prefix_list, sanitize_list, expect_list, device_list;
	struct tool_list rival_list;
	unsigned checks;	/* enum cetane_check: those of the host device */
	bool time_passes, roundtrip, parametric, no_check;
	const char *host_name;
	const struct nvptx_host *host;	/* of objects; NULL: not in the table */
	bool no_contract, ring, drop_in, selftest, pitched, no_provenance;
	bool reproduce;
	const char *semantics_name;
	bool no_verify, in_process, tree, layout, json, explain, svg, access,
		resources, advise;
	const char *suite, *sizes, *mark, *resume, *tuning, *artifacts, *against;
	const char *cublas, *cublaslt, *cudnn, *regime_name, *gpu;
	bool compile_only, list, end_to_end, dry_run;
	int64_t repeat, jobs, budget, versions, measure_error;
	double limit;		/* seconds, 0: none */
	double within;		/* negative: as the type is */
	double fail_on;		/* percent; negative: nothing fails */
	double threshold;	/* percent; negative: as benchcmp has it */
	const char *before;	/* --against of inspect */
	const char *junit, *svg_file, *profile;
	bool help, version, verbose, check_only;
	bool config_cflags, config_libs, config_prefix, config_runtime, config_static;
	bool no_memory;		/* for what the command line says */
	enum tool_color color;
	const char *format_name;
	enum tool_format format;	/* of messages */
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

/* What a build is for without --arch. */
#define TOOL_DEFAULT_ARCH "sm_90a"

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
/* Is --fp=relaxed asked for? */
bool tool_is_relaxed(const struct tool_options *o);
/* The index of "value" among the words of "option", or -1 with a message. */
int tool_choose(const char *option, const char *value);
/* Say what is wrong with the operand; returns TOOL_USAGE. */
enum tool_exit tool_bad_operand(const char *text);

/* ----------------------------------------------------------------- debug.c */

/* The words of $CETANE_DEBUG, which commas part; debug.def says what each
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
/* The number of a word with one that is there, not 0; 0: none is. */
int tool_debug_number(enum tool_debug what);
/* Report a word that the table lacks; false if there is one. */
bool tool_debug_check(void);
void tool_options_free(struct tool_options *o);
const char *tool_emit_name(enum tool_emit kind);
const char *tool_emit_suffix(enum tool_emit kind);

/* --------------------------------------------------------------- message.c */

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

/* ------------------------------------------------------------------ json.c */

/* The bytes of the character of UTF-8 at "bytes", or 0 if it begins none. */
size_t tool_character(const char *bytes);
/* Append "text" as a JSON string; what is no UTF-8 becomes U+FFFD. */
void tool_json_text(struct poly_str *out, const char *text);
/* Append each message of "report" as a line of JSON. It speaks of "file", which has
 * the "len" bytes "text" or, if that is NULL, bytes that are not known.
 */
void tool_json_messages(struct poly_str *out, const char *file,
	const char *text, size_t len, const struct poly_report *report);

/* ------------------------------------------------------------------ kind.c */

/* False, having reported why, if the file "name" is no program, going by its name,
 * and --from does not say what it is.
 */
bool tool_is_program(const struct tool_options *o, const char *name,
	struct poly_report *report);
/* The notation that the input's name tells, or NULL. */
const struct fe_notation *tool_notation(const struct tool_options *o);
/* True if that is preprocessed: -D may give a macro. */
bool tool_has_macros(const struct tool_options *o);

/* ---------------------------------------------------------------- source.c */

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

/* ----------------------------------------------------------------- stage.c */

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

/* ----------------------------------------------------------------- reply.c */

/* Messages and outputs of a compilation; all zero before. */
struct tool_reply {
	bool colored;	/* render messages in colour */
	bool json;	/* render them as tool_json_messages does */
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

/* ---------------------------------------------------------------- sha256.c */

/* The hash in hexadecimal. */
void tool_sha256(const void *data, size_t len, char text[65]);

#endif

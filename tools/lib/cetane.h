/* libcetane: the compiler as a library.
 *
 *	struct cetane_build *b = cetane_build_new("gemm.dsl", text, size);
 *
 *	cetane_build_set(b, "emit", "object");
 *	cetane_build_set(b, "arch", "sm_80,sm_90a");
 *	if (cetane_build_run(b) == CETANE_BUILD_OK)
 *		... cetane_build_output(b, i) ...
 *	else
 *		... cetane_build_message(b, i) ...
 *	cetane_build_free(b);
 *
 * Results and messages are values in memory. Nothing is printed, no file is
 * written, no signal handler is installed, and nothing here exits or aborts.
 * Any number of threads may build at the same time, each with a build of its
 * own; one build belongs to one thread at a time.
 *
 * The compiler proper (isl, LLVM, the assembler) runs in a worker process, so
 * that a crash, an endless loop or a program too big for memory is a status
 * and a message. The worker is the command "cetane" of the same version, which
 * is executed anew: a process with threads may do little between fork and exec.
 * It is looked for at $CETANE_WORKER, or else beside the library and in the
 * folder bin above it. Where there is none, a process of one thread forks and
 * compiles in the child; one of several threads gets CETANE_BUILD_ENVIRONMENT.
 * The worker is a child of the calling process; where SIGCHLD is ignored, or
 * another thread waits for any child, the reason of a crash is lost, and no
 * more. With the option "in-process" everything happens in the calling process,
 * without limits, and a fault of LLVM's ends it.
 */
#ifndef CETANE_H
#define CETANE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values are the exit codes of the command. */
enum cetane_build_status {
	CETANE_BUILD_OK = 0,
	CETANE_BUILD_INPUT = 1,		/* the program is wrong */
	CETANE_BUILD_USAGE = 2,		/* an option or its value is wrong */
	CETANE_BUILD_ENVIRONMENT = 3,	/* no assembler, worker or memory */
	CETANE_BUILD_LIMIT = 4,		/* time or memory */
	CETANE_BUILD_INTERNAL = 70	/* a fault of the compiler */
};

enum cetane_severity { CETANE_ERROR, CETANE_WARNING, CETANE_REMARK };

/* A message. Line and column count from 1, bytes; 0: it has no place in the
 * program. "rendered" is the text as the command would print it, of several
 * lines: place, severity, number, the line of the program, a caret.
 */
struct cetane_message {
	enum cetane_severity severity;
	int number;		/* such as 203; "cetane explain 203" */
	int line, column;
	const char *text;
	const char *rendered;
};

/* A result: "size" bytes with a NUL behind them. "kind" is the word that
 * "emit" takes, such as "ptx" or "cubin". An object comes with the kinds
 * "header" and "manifest"; a failure of the compiler itself, not at a
 * limit, gives the kind "reproducer", a text for a report. "suffix" is what a
 * file would be called: ".ptx".
 */
struct cetane_output {
	const char *kind, *suffix;
	const void *data;
	size_t size;
};

struct cetane_build;

/* "0.1.0"; lives as long as the process. */
const char *cetane_version(void);

/* A build of the program at "text", of "size" bytes, which is copied. "name"
 * stands in messages and debug locations; without folder and suffix it is
 * what functions are called. NULL without memory.
 */
struct cetane_build *cetane_build_new(const char *name, const char *text,
	size_t size);
/* A build of the program in the file "path", which is read now; if it cannot
 * be read, the build fails with a message. NULL without memory.
 */
struct cetane_build *cetane_build_open(const char *path);
/* Free the build with its messages, outputs and loaded code. NULL is fine. */
void cetane_build_free(struct cetane_build *b);

/* Set the option "option" of "cetane build", a long name without dashes, to
 * "value"; NULL for options that take none. Values are those of the manual
 * page: "emit" "ptx,cubin", "arch" "sm_80,sm_90a", "define" "M=64", "name",
 * "time-limit" "10" (seconds of processor time; 60 if not set), "memory-limit" "2G" (8G; all
 * memory that a worker may write), "in-process" NULL. An option that takes
 * one value has the last; "emit" and "define" add up. What is set is judged
 * when the build runs. CETANE_BUILD_ENVIRONMENT without memory.
 */
enum cetane_build_status cetane_build_set(struct cetane_build *b,
	const char *option, const char *value);
/* Write what the options "dump-after" and "time-passes" print, and what
 * libraries of the worker have to say, to the file descriptor "fd" while the
 * build runs; -1, as it is at first: nowhere.
 */
void cetane_build_log(struct cetane_build *b, int fd);

/* Compile; or only check the program, which gives one output, the kind
 * "check": sizes, inputs and derived matrices as text. Messages and outputs of
 * an earlier run are freed.
 */
enum cetane_build_status cetane_build_run(struct cetane_build *b);
enum cetane_build_status cetane_build_check(struct cetane_build *b);
/* Say what the program becomes, or what the object, cubin, fat binary or PTX holds that
 * the build was made of: one output, the kind "inspect", text as "cetane inspect" prints
 * it, with its options. With "json", that is JSON.
 */
enum cetane_build_status cetane_build_inspect(struct cetane_build *b);

/* What came of the last run. All belongs to the build, until the next run. A
 * run that fails has messages, at least one of severity CETANE_ERROR unless
 * memory ran out, and no output but a reproducer. NULL if "i" is out of range,
 * or there is no output of that kind.
 */
int cetane_build_messages(const struct cetane_build *b);
const struct cetane_message *cetane_build_message(
	const struct cetane_build *b, int i);
int cetane_build_outputs(const struct cetane_build *b);
const struct cetane_output *cetane_build_output(const struct cetane_build *b,
	int i);
const struct cetane_output *cetane_build_find(const struct cetane_build *b,
	const char *kind);

/* The address of a function of the object that the last run made, or that the
 * build was made of instead of a program (cetane_build_open("gemm.o")), such as
 * that of "gemm" or "gemm_load" (their prototypes are in the output "header"),
 * loaded into this process: on a GPU it launches the image that fits, on the
 * host device of libcetane_rt the CPU's code. NULL with a message (added to
 * those of the build) if that fails. Valid until the next run or
 * cetane_build_free; call "gemm_unload" before that.
 */
void *cetane_build_symbol(struct cetane_build *b, const char *name);

#ifdef __cplusplus
}
#endif
#endif

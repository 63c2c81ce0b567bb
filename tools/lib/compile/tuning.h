/* tuning.c: the database of configurations that a search has found best. */
#ifndef TOOLS_LIB_TUNING_H
#define TOOLS_LIB_TUNING_H

#include <stdio.h>

#include "tools/lib/lib.h"

enum { TOOL_TUNING_HASH = 17 };
/* The configuration that a result has if the model's own choice was the best. */
#define TOOL_TUNING_MODEL "model"
/* A result. Texts belong to the database, or to whoever fills this in. */
struct tool_tuned {
	const char *name;	/* of the program, for people */
	const char *program;	/* its hash */
	const char *sizes;	/* "M=512,N=512", "-": none */
	const char *arch, *device, *version;
	double ms, model_ms;	/* of this, and of the model's own choice */
	/* how sure that is: the clock, and how far samples of the ratio were from
	 * their median, as a part of it; 0: not told
	 */
	double mhz, spread;
	const char *config;	/* lines with "; " between them, or "model" */
	int line;
};
/* All zero before it is read. */
struct tool_tuning {
	const char *path;	/* not owned */
	struct tool_source file;
	struct tool_tuned *item;
	int n;
};
/* Read the file "path"; what is wrong with a line is a warning in "report", and
 * the line is left out. TOOL_INPUT or TOOL_ENVIRONMENT, told or reported, if
 * it is no such file. Call tool_tuning_free in any case.
 */
enum tool_exit tool_tuning_read(struct tool_tuning *t, const char *path,
	struct poly_report *report);
void tool_tuning_free(struct tool_tuning *t);
/* The hash of the program as it is lowered, before any pass, in hexadecimal;
 * false without memory, or if isl fails.
 */
bool tool_tuning_hash(struct poly_prog *prog, char hash[TOOL_TUNING_HASH]);
/* The result for "prog", as it is lowered, on "arch", or NULL. Lines that would
 * have fitted, but for the version, are warnings.
 */
const struct tool_tuned *tool_tuning_find(const struct tool_tuning *t,
	struct poly_prog *prog, const char *arch, struct poly_report *report);
/* Add the configuration of "r" for a program of that name, as --config would
 * read it. False without memory.
 */
bool tool_tuning_config(const struct tool_tuned *r, const char *program,
	struct poly_str *out);
/* The reverse: "line" and those behind it, without the head of a file. */
bool tool_tuning_shorten(const char *line, const char *program,
	struct poly_str *out);
/* The lines in front of results; a result. */
void tool_tuning_print_head(FILE *out);
void tool_tuning_print(const struct tool_tuned *r, FILE *out);

#endif

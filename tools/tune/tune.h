/* The verb tune: what its files share; grouped by file.
 *
 * A *candidate* is a configuration of a program at one size, as a database of
 * results has it (tools/lib/compile/tuning.h). The first of a *space* is what the
 * model chooses; the others come in the order in which the model ranks them.
 */
#ifndef TOOLS_TUNE_H
#define TOOLS_TUNE_H

#include "tools/bench/bench.h"
#include "tools/lib/compile/tuning.h"

struct tool_candidate {
	char *config;
	double cycles;		/* that the model expects */
};
struct tool_space {
	char *name;		/* of the program */
	char hash[TOOL_TUNING_HASH];
	char *factors;		/* what there is of what, as text */
	double total;		/* configurations, if all were listed */
	struct tool_candidate *item;
	int n;
};

/* ----------------------------------------------------------- tune_space.c */

/* List the space of "p" in a worker; "o" are the options to compile with, and
 * "src" the program. Call tool_space_free in any case.
 */
enum tool_exit tool_space_list(struct tool_space *s,
	const struct tool_options *o, const struct tool_source *src,
	const struct nvptx_target *target);
void tool_space_free(struct tool_space *s);

/* ---------------------------------------------------------- tune_script.c */

/* List the values that the script o->schedule leaves open, as "A 1; B 2": all that
 * --budget, and the time "until" if it is not 0, allow. As above.
 */
enum tool_exit tool_space_script(struct tool_space *s,
	const struct tool_options *o, const struct tool_source *src,
	const struct nvptx_target *target, double until);
/* Such values as --decisions has them; NULL without memory. */
char *tool_space_decisions(const char *config);
/* Print the values "config", and "why" these; write them to "path", unless that is NULL.
 */
enum tool_exit tool_script_keep(const struct tool_space *s,
	const struct tool_options *o, const char *path, const char *config,
	const char *why);
/* Run with the first values on the host device, and keep them if the result is right. */
enum tool_exit tool_script_host(const struct tool_space *s,
	const struct tool_options *o, const char *path);

/* ------------------------------------------------------------ tune_file.c */

/* A program of the user as a form: inputs are those of benchmarks, and the
 * reference is the interpreter. It must stay where it is.
 */
struct tool_tune_file {
	struct tool_source src;
	struct fe_unit *unit;
	struct tool_bench_form form;
	char *stem, sizes[TOOL_BENCH_N_SIZE * TOOL_BENCH_NAME];
	char arrays[TOOL_BENCH_N_ARRAY * TOOL_BENCH_NAME];
	struct fe_interp *interp;	/* for the sizes "n" */
	int64_t n[TOOL_BENCH_N_SIZE];
	void *input[TOOL_BENCH_N_ARRAY];
	enum poly_type element[TOOL_BENCH_N_ARRAY];
	bool relaxed;
};
/* Read the program o->file. Call tool_tune_file_close in any case. */
enum tool_exit tool_tune_file_open(struct tool_tune_file *f,
	const struct tool_options *o);
/* Its sizes: those of --sizes, which are in "s", or else those of -D. */
enum tool_exit tool_tune_file_sizes(const struct tool_tune_file *f,
	const struct tool_options *o, struct tool_bench_sizes *s);
void tool_tune_file_close(struct tool_tune_file *f);

/* ------------------------------------------------------------- tune_row.c */

/* What came of a candidate: alone, or, "is_final", against what the model
 * chooses, whose time divided by its is "ratio". Texts are owned.
 */
struct tool_tune_row {
	char *name, *program, *sizes, *config;
	int rank;
	bool is_final;
	enum tool_bench_state state;
	double cycles, ms, ratio, mhz, spread;
};
struct tool_tune {
	struct tool_bench b;
	struct tool_tune_row *row;
	int n_row, cap_row;
	FILE *journal;		/* of --resume, or NULL */
	struct tool_tune_file file;
};
/* A new row at the end, with copies of the texts; NULL without memory. */
struct tool_tune_row *tool_tune_append(struct tool_tune *t,
	const struct tool_tune_row *row);
/* The row of a candidate, or NULL. */
const struct tool_tune_row *tool_tune_find(const struct tool_tune *t,
	const char *program, const char *sizes, const char *config,
	bool is_final);
/* Write what stands in front of rows; a row. */
void tool_tune_write_head(const struct tool_tune *t, FILE *out);
void tool_tune_write_row(const struct tool_tune_row *r, FILE *out);
/* Read the rows of --resume, and open it to go on. */
enum tool_exit tool_tune_resume(struct tool_tune *t);
/* The best row of all candidates of the row "first" or those behind it of the
 * same program and sizes: that of the final with the best ratio, if it beats
 * the model's choice, else the model's choice; NULL if nothing was verified.
 */
const struct tool_tune_row *tool_tune_best(const struct tool_tune *t,
	const struct tool_tune_row *first);
/* The first row of candidates of its program and sizes. */
bool tool_tune_is_first(const struct tool_tune *t,
	const struct tool_tune_row *r);
/* The time of what the model chooses for the program and sizes of "r", or 0. */
double tool_tune_model_ms(const struct tool_tune *t,
	const struct tool_tune_row *r);
void tool_tune_free(struct tool_tune *t);

/* -------------------------------------------------------- tune_database.c */

/* Add the best results to the database "path": a line takes the place of one
 * of the same program, sizes, architecture and device; others, and comments,
 * stay. Lines are sorted.
 */
enum tool_exit tool_tune_write_database(const struct tool_tune *t,
	const char *path);

/* ------------------------------------------------------------ tune_plot.c */

/* A panel for each program and size: the time of each candidate in the order
 * of the model, the best so far, and the model's choice.
 */
void tool_tune_write_svg(const struct tool_tune *t, FILE *out);

/* ---------------------------------------------------------- tune_search.c */

/* Is no GPU asked? Then a script's values are what the model thinks best. */
bool tool_tune_is_on_host(const struct tool_options *o);
/* Tune all programs of the plan one after the other, until one fails or the
 * time is over.
 *
 * A dry run has the same loop, and measures nothing.
 */
enum tool_exit tool_tune_all(struct tool_tune *t);

/* ----------------------------------------------------------------- tune.c */

enum tool_exit tool_tune(struct tool_options *o);

#endif

/* What came of candidates: rows, and the file of --resume that keeps them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tune/tune.h"

/* The order of columns is that of the enumeration below. */
static const char columns[] =
	"name\tprogram\tsizes\trank\tcycles\trun\tstate\tms\tratio\t"
	"mhz\tspread\tconfig\n";
/* A candidate that needed no run does not occur here. */
static const char *const state_name[] = {
	[TOOL_BENCH_FAILED] = "failed",
	[TOOL_BENCH_WRONG] = "wrong",
	[TOOL_BENCH_RIGHT] = "verified",
};

/* ------------------------------------------------------------------- rows */

/* The texts of a row are its own. */
static void free_row(struct tool_tune_row *r)
{
	free(r->name);
	free(r->program);
	free(r->sizes);
	free(r->config);
}

/* "row" is copied with its texts. NULL without memory. */
struct tool_tune_row *tool_tune_append(struct tool_tune *t,
	const struct tool_tune_row *row)
{
	struct tool_tune_row *r;

	if (t->n_row == t->cap_row) {
		r = realloc(t->row, (size_t)(2 * t->cap_row + 64) *
			sizeof(*r));
		if (!r)
			return NULL;
		t->row = r;
		t->cap_row = 2 * t->cap_row + 64;
	}
	r = &t->row[t->n_row];
	*r = *row;
	r->name = strdup(row->name);
	r->program = strdup(row->program);
	r->sizes = strdup(row->sizes);
	r->config = strdup(row->config);
	if (!r->name || !r->program || !r->sizes || !r->config) {
		free_row(r);
		return NULL;
	}
	t->n_row++;
	return r;
}

/* One task is one program at one size. */
static bool same_task(const struct tool_tune_row *a,
	const struct tool_tune_row *b)
{
	return !strcmp(a->program, b->program) && !strcmp(a->sizes, b->sizes);
}

/* NULL if there is none. */
const struct tool_tune_row *tool_tune_find(const struct tool_tune *t,
	const char *program, const char *sizes, const char *config,
	bool is_final)
{
	int i;

	for (i = 0; i < t->n_row; i++)
		if (t->row[i].is_final == is_final &&
		    !strcmp(t->row[i].program, program) &&
		    !strcmp(t->row[i].sizes, sizes) &&
		    !strcmp(t->row[i].config, config))
			return &t->row[i];
	return NULL;
}

/* So that a task is counted once, whatever rows it has. */
bool tool_tune_is_first(const struct tool_tune *t,
	const struct tool_tune_row *r)
{
	const struct tool_tune_row *q;

	for (q = t->row; q < r; q++)
		if (same_task(q, r))
			return false;
	return true;
}

/* The model's choice unless a candidate was faster in the same rounds. NULL if
 * not even that was right.
 */
const struct tool_tune_row *tool_tune_best(const struct tool_tune *t,
	const struct tool_tune_row *first)
{
	const struct tool_tune_row *best = NULL, *r;
	double ratio = 1;

	for (r = first; r < t->row + t->n_row; r++) {
		if (!same_task(r, first) || r->state != TOOL_BENCH_RIGHT)
			continue;
		if (!r->is_final && r->rank == 0 && !best)
			best = r;
		if (r->is_final && r->ratio > ratio) {
			best = r;
			ratio = r->ratio;
		}
	}
	return best;
}

/* Of a row of the last time it follows from the ratio; otherwise it is that of
 * the first time. 0 if it is not known.
 */
double tool_tune_model_ms(const struct tool_tune *t,
	const struct tool_tune_row *r)
{
	int i;

	if (r->is_final)
		return r->ms * r->ratio;
	for (i = 0; i < t->n_row; i++)
		if (same_task(&t->row[i], r) && !t->row[i].is_final &&
		    t->row[i].rank == 0)
			return t->row[i].ms;
	return 0;
}

/* The rows, the journal and what the benchmark has. */
void tool_tune_free(struct tool_tune *t)
{
	int i;

	for (i = 0; i < t->n_row; i++)
		free_row(&t->row[i]);
	free(t->row);
	if (t->journal)
		fclose(t->journal);
	tool_bench_free(&t->b);
}

/* ---------------------------------------------------------------- writing */

/* The facts stand in front as comments, and the names of columns behind them.
 */
void tool_tune_write_head(const struct tool_tune *t, FILE *out)
{
	tool_bench_print_facts(&t->b, "# ", out);
	fputs(columns, out);
}

/* Cycles have so many digits that they come back as they were. */
void tool_tune_write_row(const struct tool_tune_row *r, FILE *out)
{
	fprintf(out, "%s\t%s\t%s\t%d\t%.17g\t%s\t%s\t%.6g\t%.5g\t%.0f\t"
		"%.3g\t%s\n", r->name,
		r->program, r->sizes, r->rank, r->cycles,
		r->is_final ? "final" : "first", state_name[r->state], r->ms,
		r->ratio, r->mhz, r->spread, r->config);
}

/* ---------------------------------------------------------------- reading */

/* Columns by their numbers. */
enum { NAME, PROGRAM, SIZES, RANK, CYCLES, RUN, STATE, MS, RATIO, MHZ,
	SPREAD, CONFIG,
	N_COLUMN };

/* Read a row; false if it is none. Its texts point into "line", which is
 * changed.
 *
 * All columns must be there, and none more.
 */
static bool read_row(struct tool_tune_row *r, char *line)
{
	char *word[N_COLUMN];
	int i;

	for (i = 0; i < N_COLUMN; i++) {
		word[i] = strsep(&line, "\t");
		if (!word[i])
			return false;
	}
	*r = (struct tool_tune_row){ .name = word[NAME],
		.program = word[PROGRAM], .sizes = word[SIZES],
		.config = word[CONFIG], .rank = atoi(word[RANK]),
		.cycles = strtod(word[CYCLES], NULL),
		.is_final = !strcmp(word[RUN], "final"),
		.ms = strtod(word[MS], NULL),
		.ratio = strtod(word[RATIO], NULL),
		.mhz = strtod(word[MHZ], NULL),
		.spread = strtod(word[SPREAD], NULL) };
	for (i = 0; i <= TOOL_BENCH_RIGHT; i++)
		if (!strcmp(word[STATE], state_name[i])) {
			r->state = (enum tool_bench_state)i;
			return !line;
		}
	return false;
}

/* Take over all whole lines.
 *
 * A last line without an end was being written when the run stopped.
 */
static enum tool_exit read_rows(void *user, const char *path, char *text)
{
	struct tool_tune *t = user;
	struct tool_tune_row r;
	char *line;

	while (text && strchr(text, '\n')) {
		line = strsep(&text, "\n");
		if (*line == '#' || !strncmp(line, columns, 5))
			continue;
		if (!read_row(&r, line))
			return tool_bench_bad_row(path,
				"a line is no row of results");
		if (!tool_tune_append(t, &r))
			return tool_no_memory("the rows");
	}
	return TOOL_OK;
}

/* Without --resume there is no journal. A new file gets a head; an old one is
 * appended to.
 */
enum tool_exit tool_tune_resume(struct tool_tune *t)
{
	const char *path = t->b.o->resume;
	bool there = path && access(path, F_OK) == 0;
	enum tool_exit status = there ?
		tool_bench_read_rows(&t->b, path, read_rows, t) : TOOL_OK;

	if (!path || status != TOOL_OK)
		return status;
	t->journal = tool_output_append(path);
	if (!t->journal)
		return TOOL_ENVIRONMENT;
	if (!there)
		tool_tune_write_head(t, t->journal);
	return TOOL_OK;
}

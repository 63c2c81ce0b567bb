/* Adding results to a database that people review: what is there stays as it
 * is, comments too, unless a new line is about the same.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/compile/tuning.h"
#include "tools/tune/tune.h"

/* A line with the comments above it.
 *
 * Both are owned; the comment may be empty.
 */
struct entry {
	char *comment, *line;
};
/* The file as it was, line by line, and what has been measured.
 *
 * "comment" collects lines that are no results, until one is.
 */
struct database {
	struct entry *item;
	int n;
	char *head;		/* the first lines */
	struct poly_str comment;	/* of the next line */
	const struct tool_tune *t;
};

/* Append a line, which is taken in any case, with a copy of the comment above
 * it; false without memory.
 *
 * Without memory for the comment it counts as failed, too.
 */
static bool push(struct database *d, const char *comment, char *line)
{
	struct entry *more = realloc(d->item, (size_t)(d->n + 1) *
		sizeof(*more));

	if (more)
		d->item = more;
	if (!more || !line) {
		free(line);
		return false;
	}
	d->item[d->n] = (struct entry){ strdup(comment), line };
	return d->item[d->n++].comment != NULL;
}

/* The name of the device without blanks.
 *
 * Characters that would end a field of a line become "_".
 */
static void device_name(const struct tool_tune *t, char *text, size_t size)
{
	const char *p;

	snprintf(text, size, "%s", cetane_device_name(t->b.gpu.dev));
	for (p = text; *p; p++)
		if (strchr(" \t#:", *p))
			text[p - text] = '_';
}

/* True if a new result is about what "old" is about.
 *
 * The same program, sizes, architecture and device.
 */
static bool is_replaced(const struct tool_tune *t, const struct tool_tuned *old)
{
	const struct tool_tune_row *r;
	char device[128];

	device_name(t, device, sizeof(device));
	for (r = t->row; r < t->row + t->n_row; r++)
		if (!strcmp(r->program, old->program) &&
		    !strcmp(r->sizes, old->sizes) &&
		    !strcmp(old->arch, t->b.target->name) &&
		    !strcmp(old->device, device) &&
		    tool_tune_best(t, r))
			return true;
	return false;
}

/* The result that the old database has on line "number", or NULL.
 *
 * The reader has noted the line of each result.
 */
static const struct tool_tuned *at_line(const struct tool_tuning *old,
	int number)
{
	int i;

	for (i = 0; i < old->n; i++)
		if (old->item[i].line == number)
			return &old->item[i];
	return NULL;
}

/* Take over line "number" of the old file.
 *
 * A line that is replaced takes its comments with it.
 */
static bool keep_line(struct database *d, const struct tool_tuning *old,
	const char *line, int number)
{
	const struct tool_tuned *r = at_line(old, number);

	if (!r) {
		poly_str_printf(&d->comment, "%s\n", line);
		return !d->comment.failed;
	}
	if (!is_replaced(d->t, r) &&
	    !push(d, d->comment.s ? d->comment.s : "", strdup(line)))
		return false;
	poly_str_free(&d->comment);
	return true;
}

/* The lines up to the first result, or blank line, are the head.
 *
 * They stay in front whatever is sorted behind them.
 */
static bool keep_all(struct database *d, const struct tool_tuning *old,
	char *text)
{
	bool in_head = true, ok = true;
	char *line;
	int number;

	for (number = 1; ok && text && *text; number++) {
		line = strsep(&text, "\n");
		if (in_head && (at_line(old, number) || !*line)) {
			in_head = false;
			d->head = strdup(d->comment.s ? d->comment.s : "");
			poly_str_free(&d->comment);
			ok = d->head != NULL;
		}
		ok = ok && keep_line(d, old, line, number);
	}
	return ok;
}

/* Keep the lines of the database "path" that no new result replaces, if there
 * is one. Lines that are wrong are warnings.
 *
 * A file that is not there yet is an empty database.
 */
static enum tool_exit read_old(struct database *d, const char *path)
{
	struct tool_tuning old = { 0 };
	struct poly_report report = { 0 };
	struct tool_source src;
	enum tool_exit status;

	if (access(path, F_OK) < 0)
		return TOOL_OK;
	status = tool_source_read_file(&src, path,
		TOOL_MOST_TEXT);
	if (status != TOOL_OK)
		return status;
	status = tool_tuning_read(&old, path, &report);
	tool_report_tell(&report);
	if (status == TOOL_OK && !keep_all(d, &old, src.text))
		status = tool_no_memory("the results");
	tool_source_free(&src);
	tool_tuning_free(&old);
	return status;
}

/* The line of the database for the row "r"; owned by the caller, NULL without
 * memory.
 *
 * The model's choice is written as a word of its own.
 */
static char *line_of(const struct tool_tune *t, const struct tool_tune_row *r)
{
	char device[128], *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct tool_tuned line = { .name = r->name, .program = r->program,
		.sizes = r->sizes, .arch = t->b.target->name,
		.device = device, .version = CETANE_VERSION, .ms = r->ms,
		.model_ms = tool_tune_model_ms(t, r),
		.mhz = r->mhz, .spread = r->spread,
		.config = r->rank ? r->config : TOOL_TUNING_MODEL };

	if (!f)
		return NULL;
	device_name(t, device, sizeof(device));
	tool_tuning_print(&line, f);
	fclose(f);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* By the texts, so that the file has one order. */
static int compare(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->line,
		((const struct entry *)b)->line);
}

/* Print the database: its head, each line with its comment, and comments behind
 * the last.
 *
 * A new file gets the head that explains its lines.
 */
static void print(const void *user, const char *path, FILE *f)
{
	const struct database *d = user;
	int i;

	(void)path;
	if (d->head)
		fputs(d->head, f);
	else
		tool_tuning_print_head(f);
	for (i = 0; i < d->n; i++)
		fprintf(f, "%s%s\n", d->item[i].comment, d->item[i].line);
	if (d->comment.s)
		fputs(d->comment.s, f);
}

/* The file is written whole or not at all (output.c). */
enum tool_exit tool_tune_write_database(const struct tool_tune *t,
	const char *path)
{
	struct database d = { .t = t };
	enum tool_exit status = read_old(&d, path);
	const struct tool_tune_row *r, *best;
	int i;

	for (r = t->row; status == TOOL_OK && r < t->row + t->n_row; r++) {
		best = tool_tune_is_first(t, r) ? tool_tune_best(t, r) : NULL;
		if (best && !push(&d, "", line_of(t, best)))
			status = tool_no_memory("the results");
	}
	if (d.n)
		qsort(d.item, (size_t)d.n, sizeof(*d.item), compare);
	if (status == TOOL_OK)
		status = tool_write_output(path, print, &d);
	for (i = 0; i < d.n; i++) {
		free(d.item[i].comment);
		free(d.item[i].line);
	}
	free(d.item);
	free(d.head);
	poly_str_free(&d.comment);
	return status;
}

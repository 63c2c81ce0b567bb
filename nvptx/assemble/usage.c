/* nvptx: what the assembler remarks about each kernel.
 *
 * Both assemblers print, for each entry point,
 *
 *	ptxas info    : Compiling entry function 'k' for 'sm_90a'
 *	ptxas info    : Function properties for k
 *	    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *	ptxas info    : Used 10 registers, used 1 barriers, 384 bytes smem,
 *		368 bytes cmem[0]
 *
 * Counts are found by the words behind them, so that a new item on a line
 * does no harm. (nvJitLink counts static shared memory twice, and for newer
 * architectures nobody tells the constant bank of the arguments.)
 *
 * Remarks numbered C7xxx tell that tensor-core operations were serialised or
 * synchronised: the assembler takes them for information, we for a warning.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/assemble/assemble.h"

/* The number whose last digit stands before "end", within "line"; 0 without
 * digits, and INT_MAX if it is too large.
 */
static int number_before(const char *line, const char *end)
{
	const char *p = end;
	long value;

	while (p > line && isdigit((unsigned char) p[-1]))
		p--;
	value = p < end ? strtol(p, NULL, 10) : 0;
	return value < INT_MAX ? (int) value : INT_MAX;
}

/* The number before the word(s) "unit" in "line", 0 if there is none. */
static int count(const char *line, const char *unit)
{
	const char *p = strstr(line, unit);

	if (!p || p == line || p[-1] != ' ')
		return 0;
	return number_before(line, p - 1);
}

/* The sum over all constant banks: "368 bytes cmem[0], 4 bytes cmem[2]". */
static int count_constant(const char *line)
{
	const char *p = line;
	int sum = 0, n;

	while ((p = strstr(p, " bytes cmem["))) {
		n = number_before(line, p);
		sum = n < INT_MAX - sum ? sum + n : INT_MAX;
		p++;
	}
	return sum;
}

/* The table under construction; "n" counts its rows. */
struct table {
	struct nvptx_usage *row;
	int n;
	bool failed;
};

/* Open a row for the kernel whose name begins at "name" and ends at "'". */
static void add_row(struct table *t, const char *name)
{
	struct nvptx_usage *row;

	row = realloc(t->row, (t->n + 1) * sizeof(*row));
	if (!row) {
		t->failed = true;
		return;
	}
	t->row = row;
	row[t->n] = (struct nvptx_usage) { 0 };
	row[t->n].kernel = strndup(name, strcspn(name, "'"));
	if (row[t->n].kernel)
		t->n++;
	else
		t->failed = true;
}

/* "in_entry" tells whether the properties that follow are a kernel's own. */
static void parse_line(struct table *t, const char *line, bool *in_entry)
{
	static const char entry[] = "Compiling entry function '";
	static const char properties[] = "Function properties for ";
	const char *p = strstr(line, entry);
	struct nvptx_usage *row = t->n ? &t->row[t->n - 1] : NULL;

	if (p) {
		add_row(t, p + strlen(entry));
		*in_entry = true;
		return;
	}
	p = strstr(line, properties);
	if (p && row)
		*in_entry = !strcmp(p + strlen(properties), row->kernel);
	if (row && *in_entry && strstr(line, "bytes stack frame")) {
		row->stack = count(line, "bytes stack frame");
		row->spill_stores = count(line, "bytes spill stores");
		row->spill_loads = count(line, "bytes spill loads");
	}
	if (row && strstr(line, ": Used ")) {
		row->registers = count(line, "registers");
		row->shared = count(line, "bytes smem");
		row->constant = count_constant(line);
	}
}

/* Whether "line" holds a code from C7000 to C7999. */
static bool has_code(const char *line)
{
	const char *p = line;

	while ((p = strstr(p, "C7"))) {
		if (isdigit((unsigned char) p[2]) &&
				isdigit((unsigned char) p[3]) &&
				isdigit((unsigned char) p[4]) &&
				(p == line || !isalnum((unsigned char) p[-1])))
			return true;
		p++;
	}
	return false;
}

/* Report a line of the assembler if it is a warning, or has a code of one. */
static void warn(const char *line, const char *name,
	struct poly_report *report)
{
	if (strstr(line, "warning") || has_code(line))
		poly_report_add(report, MSG_NVPTX_ASSEMBLY_WARNING, NULL, name,
			line);
}

void nvptx_usage_free(struct nvptx_usage *usage, int n_usage)
{
	for (int i = 0; i < n_usage; i++)
		free(usage[i].kernel);
	free(usage);
}

isl_stat nvptx_usage_parse(const struct poly_str *log, const char *name,
	struct nvptx_usage **usage, int *n_usage, struct poly_report *report)
{
	char *copy = strdup(log->s ? log->s : ""), *rest = copy, *line;
	struct table t = { .failed = !copy };
	bool in_entry = false;

	while (rest && (line = strsep(&rest, "\n"))) {
		warn(line, name, report);
		parse_line(&t, line, &in_entry);
	}
	free(copy);
	if (t.failed)
		poly_report_add(report, MSG_NO_MEMORY, NULL, "usage");
	if (t.failed || !usage) {
		nvptx_usage_free(t.row, t.n);
		return t.failed ? isl_stat_error : isl_stat_ok;
	}
	*usage = t.row;
	*n_usage = t.n;
	return isl_stat_ok;
}

/* The times of kernels for the page about a program: what they are expected to take,
 * and what the file of --profile, as "cetane profile --format=json" prints it, has
 * measured.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/json.h"
#include "tools/lib/inspect/inspect.h"

enum { LINES = sizeof(((struct tool_times_row *)0)->line) / sizeof(int) };

static void add_lines(struct tool_times_row *r, const struct poly_stmt *stmt)
{
	int i;

	for (i = 0; i < r->n; i++)
		if (r->line[i] == stmt->loc.line)
			break;
	if (i == r->n && i < LINES && stmt->loc.line > 0)
		r->line[r->n++] = stmt->loc.line;
	for (i = 0; i < stmt->n_member; i++)
		add_lines(r, stmt->member[i]);
}

static enum tool_exit bad(const char *path, const char *why)
{
	tool_message(MSG_BENCH_RESULTS, path, why);
	return TOOL_INPUT;
}

/* Read the file of --profile into "j"; its kernels are "*list". */
static enum tool_exit read_profile(const char *path, struct tool_json *j,
	const struct tool_json **list)
{
	struct tool_source src;
	enum tool_exit status = tool_source_read_file(&src, path,
		TOOL_MOST_TEXT);
	bool ok;

	if (status != TOOL_OK)
		return status;
	ok = tool_json_read(j, src.text, src.len);
	tool_source_free(&src);
	if (!ok)
		return bad(path, "this is no JSON");
	*list = tool_json_member(j, "kernels");
	if (*list && (*list)->kind == TOOL_JSON_LIST &&
	    tool_json_string(j, "device"))
		return TOOL_OK;
	return bad(path, "it has no kernels of cetane profile");
}

/* The kernel "name" of a profile, or NULL. */
static const struct tool_json *find(const struct tool_json *list,
	const char *name)
{
	const char *one;
	int i;

	for (i = 0; list && i < list->n; i++) {
		one = tool_json_string(&list->item[i], "name");
		if (one && !strcmp(one, name))
			return &list->item[i];
	}
	return NULL;
}

/* Append a number of "k", or "-" where it has none. */
static void add_number(struct poly_str *out, const struct tool_json *k,
	const char *name, double scale, const char *format)
{
	double value = k ? tool_json_number(k, name, -1) : -1;
	char text[48] = "-";

	if (value >= 0)
		snprintf(text, sizeof(text), format, scale * value);
	poly_str_printf(out, " %12s", text);
}

/* Append the row of kernel "at" of "prog", which takes "price", or NULL: that is not
 * known. False without memory.
 */
static bool add_kernel(struct tool_times *t, struct poly_prog *prog, int at,
	const struct poly_price *price, const struct tool_json *list)
{
	const struct poly_kernel *kernel = prog->kernel[at];
	const struct tool_json *k = find(list, kernel->name);
	struct tool_times_row *more = realloc(t->row,
		(size_t)(t->n + 1) * sizeof(*more));
	struct poly_stmt **stmt;
	int i, n;

	if (!more)
		return false;
	t->row = more;
	t->row[t->n++] = (struct tool_times_row){ .n = 0 };
	stmt = poly_kernel_stmts(prog, kernel, &n);
	for (i = 0; stmt && i < n; i++)
		add_lines(&t->row[t->n - 1], stmt[i]);
	free(stmt);
	poly_str_printf(&t->text, "%-28s ", kernel->name);
	if (price)
		poly_str_printf(&t->text, "%15.0f", price->cycles);
	else
		poly_str_printf(&t->text, "%15s", "-");
	add_number(&t->text, k, "predicted_ms", 1, "%.4f");
	add_number(&t->text, k, "ms", 1, "%.4f");
	add_number(&t->text, k, "roof", 100, "%.0f%%");
	add_number(&t->text, k, "bytes_read", 1e-6, "%.4g");
	add_number(&t->text, k, "bytes_written", 1e-6, "%.4g");
	add_number(&t->text, k, "operations", 1e-6, "%.4g");
	poly_str_add(&t->text, "\n");
	return stmt != NULL;
}

/* Is each size that a launch gives fixed? */
static bool is_fixed(const struct poly_prog *prog)
{
	int i;

	for (i = 0; i < prog->n_param; i++)
		if (!prog->param[i].hidden && !prog->param[i].fixed &&
		    !prog->param[i].stride)
			return false;
	return true;
}

/* A row for each kernel of the program and of its versions, whose parts "f" has in the
 * same order; what they are expected to take is known where all sizes are.
 */
static bool add_kernels(const struct tool_facts *f, struct tool_times *t,
	const struct tool_json *list)
{
	const struct tool_compile *c = f->compile;
	bool ok = true, fixed = c->prog && is_fixed(c->prog);
	int i, v, at = 0;

	for (v = 0; c->prog && v <= c->n_version && ok; v++) {
		struct poly_prog *prog = v ? c->version[v - 1].prog : c->prog;
		const struct tool_part *part = fixed && at < f->n_part ?
			&f->part[at] : NULL;

		if (v && c->version[v - 1].like)
			continue;
		for (i = 0; i < prog->n_kernel && ok; i++)
			ok = add_kernel(t, prog, i, part ? &part->price[i] :
				NULL, list);
		at++;
	}
	return ok;
}

/* Append where the times are from. */
static void add_device(const struct tool_json *j, struct poly_str *out)
{
	const struct tool_json *host = tool_json_member(j, "host");

	poly_str_printf(out, "\nmeasured on: %s%s\n",
		tool_json_string(j, "device"), host && host->number != 0 ?
		", whose times say nothing of a GPU" : "");
}

enum tool_exit tool_times_make(const struct tool_facts *f,
	struct tool_times *t)
{
	const struct tool_json *list = NULL;
	const char *path = f->compile->options->profile;
	struct tool_json j = { .kind = TOOL_JSON_NULL };
	enum tool_exit status = path ? read_profile(path, &j, &list) : TOOL_OK;

	*t = (struct tool_times){ .n = 0 };
	poly_str_printf(&t->text, "%-28s %15s %12s %12s %12s %12s %12s %12s\n",
		"kernel", "expected cycles", "expected ms", "measured ms",
		"of max", "read MB", "written MB", "Mops");
	if (status == TOOL_OK && !add_kernels(f, t, list))
		status = tool_no_memory("the times");
	if (status == TOOL_OK && path)
		add_device(&j, &t->text);
	tool_json_free(&j);
	return status;
}

void tool_times_free(struct tool_times *t)
{
	poly_str_free(&t->text);
	free(t->row);
	*t = (struct tool_times){ .n = 0 };
}

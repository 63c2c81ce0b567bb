/* The verb test: all cases of all files, on all devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cases/cases.h"

/* What is tested. "cases" has those of each file, "device" is owned, "all" is in the
 * order of the run.
 */
struct test {
	struct tool_options *o;
	struct tool_cases *cases;
	struct tool_outcome *all;
	int n, failed;
	struct tool_args device;
};

/* How many GPUs there are. A child asks: of a process that has called the driver, no
 * child can use a GPU, and cases run in children.
 */
static int count_gpus(void)
{
	int n = 0, state;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(cetane_cuda_count(&n) != CETANE_OK ? 0 :
			n < 255 ? n : 255);
	while (pid > 0 && waitpid(pid, &state, 0) < 0)
		if (errno != EINTR)
			return 0;
	return pid > 0 && WIFEXITED(state) ? WEXITSTATUS(state) : 0;
}

/* Those of --device, or the host and each GPU. */
static enum tool_exit find_devices(struct test *t)
{
	const struct tool_list *given = &t->o->device_list;
	enum tool_exit status = TOOL_OK;
	char name[32];
	int i, n;

	for (i = 0; i < given->n && status == TOOL_OK; i++)
		status = tool_args_add(&t->device, given->item[i]);
	if (given->n)
		return status;
	status = tool_args_add(&t->device, "host");
	n = count_gpus();
	for (i = 0; i < n && status == TOOL_OK; i++) {
		snprintf(name, sizeof(name), "cuda:%d", i);
		status = tool_args_add(&t->device, name);
	}
	return status;
}

static void print(const struct tool_outcome *out)
{
	const char *p = out->said.s, *end;

	printf("%s  %s:%d: %s%s[%s]\n", out->passed ? "ok    " : "FAILED",
		out->file, out->of->loc.line, out->of->title,
		*out->of->title ? " " : "", out->device);
	for (; !out->passed && p && *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		printf("        %.*s\n", (int)(end - p), p);
	}
	fflush(stdout);
}

/* Run a case on one device, and keep what came of it. */
static enum tool_exit run_one(struct test *t, const char *file,
	const struct tool_case *c, const char *device)
{
	struct tool_outcome *more = realloc(t->all,
		(size_t)(t->n + 1) * sizeof(*more));
	struct tool_outcome *out;
	enum tool_exit status;

	if (!more)
		return tool_no_memory("the cases");
	t->all = more;
	out = &more[t->n++];
	*out = (struct tool_outcome){ .file = file, .device = device,
		.of = c };
	status = tool_case_run(t->o, out);
	if (status == TOOL_OK && !out->passed && c->is_random &&
	    out->status == TOOL_MISMATCH)
		status = tool_case_shrink(t->o, out);
	t->failed += !out->passed;
	if (status == TOOL_OK)
		print(out);
	return status;
}

/* A program that must not compile does not on one device. */
static enum tool_exit run_file(struct test *t, const char *file,
	struct tool_cases *cases)
{
	enum tool_exit status;
	struct tool_source src = { 0 };
	int i, d;

	status = tool_source_read(&src, file, TOOL_MOST_TEXT);
	if (status == TOOL_OK)
		status = tool_cases_read(&src, cases);
	if (status == TOOL_OK && !cases->n) {
		tool_message(MSG_TEST_NONE, file);
		status = TOOL_INPUT;
	}
	for (i = 0; i < cases->n && status == TOOL_OK; i++)
		for (d = 0; d < t->device.n && status == TOOL_OK; d++)
			if (!d || !cases->item[i].error)
				status = run_one(t, file, &cases->item[i],
					t->device.item[d]);
	tool_source_free(&src);
	return status;
}

static void write_xml(const void *user, const char *path, FILE *f)
{
	const struct poly_str *xml = user;

	(void)path;
	fputs(xml->s ? xml->s : "", f);
}

static enum tool_exit write_junit(const struct test *t)
{
	struct poly_str xml = { 0 };
	enum tool_exit status;

	tool_cases_junit(t->all, t->n, &xml);
	status = xml.failed ? tool_no_memory("the report") :
		tool_write_output(t->o->junit, write_xml, &xml);
	poly_str_free(&xml);
	return status;
}

enum tool_exit tool_test(struct tool_options *o)
{
	struct test t = { .o = o };
	int n = o->file_list.n, i;
	enum tool_exit status;

	t.cases = calloc((size_t)n, sizeof(*t.cases));
	status = t.cases ? find_devices(&t) : tool_no_memory("the cases");
	for (i = 0; i < n && status == TOOL_OK; i++)
		status = run_file(&t, o->file_list.item[i], &t.cases[i]);
	if (status == TOOL_OK) {
		printf("%d passed, %d failed\n", t.n - t.failed, t.failed);
		status = t.failed ? TOOL_MISMATCH : TOOL_OK;
	}
	if (o->junit && (status == TOOL_OK || status == TOOL_MISMATCH) &&
	    write_junit(&t) != TOOL_OK)
		status = TOOL_ENVIRONMENT;
	for (i = 0; i < t.n; i++)
		poly_str_free(&t.all[i].said);
	free(t.all);
	for (i = 0; i < n && t.cases; i++)
		tool_cases_free(&t.cases[i]);
	free(t.cases);
	tool_args_free(&t.device);
	return status;
}

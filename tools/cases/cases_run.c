/* One case: the verb run, in a process whose output is kept in memory. */
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cases/cases.h"

/* -------------------------------------------------------------- the options */

static enum tool_exit add_all(struct tool_args *a, const char *option,
	const struct tool_list *list)
{
	struct poly_str word = { 0 };
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < list->n && status == TOOL_OK; i++) {
		word.len = 0;
		poly_str_printf(&word, "--%s=%s", option, list->item[i]);
		status = word.failed ? tool_no_memory("a case") :
			tool_args_add(a, word.s);
	}
	poly_str_free(&word);
	return status;
}

/* The command line of the case, without its sizes if "sizes" is not NULL: then
 * these, "n" of them, take their place.
 */
static enum tool_exit make_words(const struct tool_options *o,
	const struct tool_outcome *out, const struct fe_define *sizes, int n,
	struct tool_args *a)
{
	const struct tool_args *of = &out->of->word;
	const char *const begin[] = { "cetane", "run", "--color=never" };
	struct poly_str word = { 0 };
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < 3 && status == TOOL_OK; i++)
		status = tool_args_add(a, begin[i]);
	if (status == TOOL_OK && !strcmp(out->device, "host"))
		status = add_all(a, "sanitize", &o->sanitize_list);
	if (status == TOOL_OK)
		status = add_all(a, "include", &o->include_list);
	for (i = 0; i < of->n && status == TOOL_OK; i++)
		if (!sizes || strncmp(of->item[i], "--define=", 9))
			status = tool_args_add(a, of->item[i]);
	for (i = 0; i < n && status == TOOL_OK; i++) {
		word.len = 0;
		poly_str_printf(&word, "--define=%s=%lld", sizes[i].name,
			(long long)sizes[i].value);
		status = word.failed ? tool_no_memory("a case") :
			tool_args_add(a, word.s);
	}
	poly_str_free(&word);
	if (status == TOOL_OK)
		status = tool_args_add(a, "--");
	return status == TOOL_OK ? tool_args_add(a, out->file) : status;
}

/* ----------------------------------------------------------------- a process */

/* In the process of the case: run, and end with the exit code. */
static void run_here(const struct tool_options *o, struct tool_args *a,
	const char *device, int fd)
{
	struct tool_options run;
	enum tool_exit status;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	tool_options_init(&run);
	run.args = *a;
	tool_print_messages(&run);
	status = tool_options_read(&run);
	run.device = device;
	run.time_limit = o->time_limit;
	run.memory_limit = o->memory_limit;
	run.crash_dir = o->crash_dir;
	run.host_orders = o->host_orders;
	if (status == TOOL_OK)
		status = tool_options_check(&run);
	if (status == TOOL_OK)
		status = tool_run(&run);
	if (fflush(NULL) != 0 && status == TOOL_OK)
		status = TOOL_ENVIRONMENT;
	_exit((int)status);
}

/* What was written to "fd". */
static bool read_said(int fd, struct poly_str *said)
{
	char part[4096];
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return false;
	while ((n = read(fd, part, sizeof(part))) > 0)
		poly_str_addn(said, part, (size_t)n);
	return n == 0 && !said->failed;
}

/* Run the command line "a" in a process; TOOL_OK if that could be done. */
static enum tool_exit run_process(const struct tool_options *o,
	struct tool_args *a, struct tool_outcome *out)
{
	int fd = memfd_create("case", MFD_CLOEXEC), state;
	bool ok = fd >= 0;
	pid_t pid;

	fflush(NULL);
	pid = ok ? fork() : -1;
	if (pid == 0)
		run_here(o, a, out->device, fd);
	ok = pid > 0;
	while (ok && waitpid(pid, &state, 0) < 0)
		ok = errno == EINTR;
	ok = ok && read_said(fd, &out->said);
	if (fd >= 0)
		close(fd);
	if (!ok)
		return tool_no_memory("the process of a case");
	out->status = WIFEXITED(state) ? (enum tool_exit)WEXITSTATUS(state) :
		TOOL_INTERNAL;
	return TOOL_OK;
}

/* Does what the case said match its "error:"? */
static enum tool_exit judge_error(struct tool_outcome *out)
{
	struct poly_report report = { 0 };
	char why[256];
	regex_t re;
	int error = regcomp(&re, out->of->error, REG_EXTENDED | REG_NOSUB);

	if (error) {
		regerror(error, &re, why, sizeof(why));
		poly_report_add(&report, MSG_TEST_LINE, &out->of->loc, why);
		tool_tell(out->file, NULL, 0, &report);
		return TOOL_INPUT;
	}
	out->passed = out->status != TOOL_OK && out->said.s &&
		!regexec(&re, out->said.s, 0, NULL, 0);
	regfree(&re);
	if (!out->passed)
		poly_str_printf(&out->said, "an error was expected: %s\n",
			out->of->error);
	return TOOL_OK;
}

/* Is there an output of which no element could be compared, as where all are NaN? */
static bool shows_nothing(const struct tool_outcome *out)
{
	return out->said.s && strstr(out->said.s, "no element has a bound");
}

enum tool_exit tool_case_run(const struct tool_options *o,
	struct tool_outcome *out)
{
	struct tool_args a = { 0 };
	enum tool_exit status = make_words(o, out, NULL, 0, &a);

	if (status == TOOL_OK)
		status = run_process(o, &a, out);
	tool_args_free(&a);
	if (status != TOOL_OK)
		return status;
	if (out->of->error)
		return judge_error(out);
	if (out->status == TOOL_OK && shows_nothing(out))
		out->status = TOOL_MISMATCH;
	out->passed = out->status == TOOL_OK;
	return TOOL_OK;
}

/* ----------------------------------------------------------------- shrinking */

/* Sizes that are made smaller, and runs for that. */
enum { MOST_SIZES = 32, MOST_TRIES = 100 };

/* Does the case fail in the same way for these sizes? */
static enum tool_exit fails(const struct tool_options *o,
	const struct tool_outcome *out, const struct fe_define *size, int n,
	bool *yes)
{
	struct tool_outcome try = { .file = out->file, .device = out->device,
		.of = out->of };
	struct tool_args a = { 0 };
	enum tool_exit status = make_words(o, out, size, n, &a);

	if (status == TOOL_OK)
		status = run_process(o, &a, &try);
	*yes = status == TOOL_OK && try.status == out->status;
	tool_args_free(&a);
	poly_str_free(&try.said);
	return status;
}

/* The sizes of the case; returns their number. "name" holds their names. */
static int sizes_of(const struct tool_case *c, struct fe_define *size,
	char **name)
{
	const char *word, *eq;
	int i, n = 0;

	for (i = 0; i < c->word.n && n < MOST_SIZES; i++) {
		word = c->word.item[i];
		eq = strchr(word + 9, '=');
		if (strncmp(word, "--define=", 9) || !eq)
			continue;
		name[n] = strndup(word + 9, (size_t)(eq - word - 9));
		if (!name[n])
			break;
		size[n] = (struct fe_define){ name[n], atoll(eq + 1) };
		n++;
	}
	return n;
}

/* Try a smaller value of size "i": 1, the half, and one less. */
static enum tool_exit shrink_one(const struct tool_options *o,
	const struct tool_outcome *out, struct fe_define *size, int n, int i,
	int *tries, bool *smaller)
{
	const int64_t was = size[i].value;
	const int64_t next[] = { 1, was / 2, was - 1 };
	enum tool_exit status = TOOL_OK;
	int k;

	*smaller = false;
	for (k = 0; k < 3 && !*smaller && status == TOOL_OK; k++) {
		if (next[k] < 1 || next[k] >= was || ++*tries > MOST_TRIES)
			continue;
		size[i].value = next[k];
		status = fails(o, out, size, n, smaller);
	}
	if (!*smaller)
		size[i].value = was;
	return status;
}

enum tool_exit tool_case_shrink(const struct tool_options *o,
	struct tool_outcome *out)
{
	struct fe_define size[MOST_SIZES];
	char *name[MOST_SIZES];
	int n = sizes_of(out->of, size, name), i, tries = 0, found = 0;
	enum tool_exit status = TOOL_OK;
	bool smaller = true;

	while (smaller && status == TOOL_OK) {
		smaller = false;
		for (i = 0; i < n && status == TOOL_OK; i++) {
			bool one = true;

			while (one && status == TOOL_OK) {
				status = shrink_one(o, out, size, n, i,
					&tries, &one);
				smaller = smaller || one;
				found += one;
			}
		}
	}
	if (found)
		poly_str_add(&out->said, "it fails, too, for");
	for (i = 0; i < n; i++) {
		if (found)
			poly_str_printf(&out->said, " %s=%lld%s", size[i].name,
				(long long)size[i].value,
				i + 1 < n ? "" : "\n");
		free(name[i]);
	}
	return status;
}

/* Cases in the comments of a program, whatever its notation: a line that begins with
 * a comment sign and "test:", and those of the same kind right behind it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cases/cases.h"

/* A file of cases, line by line. */
struct reader {
	const struct tool_source *src;
	struct tool_cases *c;
	struct tool_case *now;	/* the case that lines belong to, or NULL */
	struct poly_loc loc;	/* the comment, without its sign */
};

static enum tool_exit wrong(const struct reader *r, const char *text)
{
	struct poly_report report = { 0 };

	poly_report_add(&report, MSG_TEST_LINE, &r->loc, text);
	tool_tell(r->src->name, r->src->text, r->src->len, &report);
	return TOOL_INPUT;
}

/* The text of the comment that the line from "p" to "end" is, and "loc" where it stands in
 * the line; NULL if it is none.
 */
static char *comment_of(const char *p, const char *end, struct poly_loc *loc)
{
	const char *line = p;
	static const char *const sign[] = { "//", "/*", "#", "*" };
	size_t i;

	while (p < end && isspace((unsigned char)*p))
		p++;
	for (i = 0; i < sizeof(sign) / sizeof(sign[0]); i++)
		if ((size_t)(end - p) >= strlen(sign[i]) &&
		    !memcmp(p, sign[i], strlen(sign[i])))
			break;
	if (i == sizeof(sign) / sizeof(sign[0]))
		return NULL;
	p += strlen(sign[i]);
	if (end - p >= 2 && end[-2] == '*' && end[-1] == '/')
		end -= 2;
	while (p < end && isspace((unsigned char)*p))
		p++;
	while (p < end && isspace((unsigned char)end[-1]))
		end--;
	loc->col = (int)(p - line) + 1;
	loc->len = end > p ? (int)(end - p) : 1;
	return strndup(p, (size_t)(end - p));
}

/* Add the option "name" with "value" to the case. */
static enum tool_exit add_option(struct reader *r, const char *name,
	const char *value)
{
	struct poly_str word = { 0 };
	enum tool_exit status;

	poly_str_printf(&word, "--%s=%s", name, value);
	status = word.failed ? tool_no_memory("a case") :
		tool_args_add(&r->now->word, word.s);
	poly_str_free(&word);
	return status;
}

/* ------------------------------------------------------------------- the lines */

/* Which kind of line begins with "word" of "len" letters and a colon; -1: none. */
static int find_row(const char *word, size_t len)
{
	static const char *const row[] = { "test", "random", "input", "output",
		"error" };
	int i, n = sizeof(row) / sizeof(row[0]);

	for (i = 0; i < n; i++)
		if (strlen(row[i]) == len && !memcmp(row[i], word, len))
			return i;
	return -1;
}

/* A program may not be trusted: its cases name no files but those beside it, and have no
 * options that do.
 */
static bool is_allowed(const char *word)
{
	static const char *const option[] = { "fp", "function", "extent",
		"live-out", "no-contract", "verify", "within", "semantics",
		"versions", "map" };
	size_t len = strcspn(word, "="), i;

	for (i = 0; i < sizeof(option) / sizeof(option[0]); i++)
		if (len > 2 && strlen(option[i]) == len - 2 &&
		    !strncmp(word, "--", 2) &&
		    !memcmp(word + 2, option[i], len - 2))
			return true;
	return false;
}

/* A size or an option behind "test:". */
static enum tool_exit add_word(struct reader *r, const char *word)
{
	struct poly_str text = { 0 };
	enum tool_exit status;

	if (is_allowed(word))
		return tool_args_add(&r->now->word, word);
	if (find_row(word, strcspn(word, ":")) >= 0 && strchr(word, ':')) {
		poly_str_printf(&text, "%.*s: begins a line of its own, behind that "
			"of test:", (int)strcspn(word, ":"), word);
		status = text.failed ? tool_no_memory("a case") :
			wrong(r, text.s);
		poly_str_free(&text);
		return status;
	}
	return word[0] != '-' && strchr(word, '=') ?
		add_option(r, "define", word) :
		wrong(r, "test: takes sizes, such as M=3, and of the options of "
			"run --fp, --function, --extent, --live-out, "
			"--no-contract, --verify, --within, --semantics, "
			"--versions and --map");
}

/* "test: M=3 --fp=strict" begins a case. */
static enum tool_exit begin_case(struct reader *r, const char *text)
{
	struct tool_case *more = realloc(r->c->item,
		(size_t)(r->c->n + 1) * sizeof(*more));
	char *copy = strdup(text), *word, *save;
	enum tool_exit status = TOOL_OK;

	if (more)
		r->c->item = more;
	if (!more || !copy) {
		free(copy);
		return tool_no_memory("a case");
	}
	r->now = &more[r->c->n++];
	*r->now = (struct tool_case){ .loc = r->loc, .title = strdup(text),
		.is_random = true };
	if (!r->now->title)
		status = tool_no_memory("a case");
	for (word = strtok_r(copy, " \t", &save); word && status == TOOL_OK;
			word = strtok_r(NULL, " \t", &save))
		status = add_word(r, word);
	free(copy);
	return status;
}

static enum tool_exit set_seed(struct reader *r, const char *text)
{
	return *text && !text[strspn(text, "0123456789")] ?
		add_option(r, "seed", text) :
		wrong(r, "random: takes a seed, such as 7");
}

/* May "what" stand behind an "=": values, a file beside the program or below, or, of
 * an output, a name?
 */
static bool is_usable(const char *what, bool output)
{
	size_t name = strspn(what, "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	if (tool_ends_with(what, ".npy"))
		return *what != '/' && !strstr(what, "..");
	return *what && (strchr("[+-.0123456789", *what) ? !strchr(what, '/') :
		(output && !what[name]) || !strcmp(what, "true") ||
		!strcmp(what, "false"));
}

/* "NAME = WHAT" as the option "option"; the file WHAT is beside the program. */
static enum tool_exit add_array(struct reader *r, const char *option,
	const char *text)
{
	size_t name = strcspn(text, " \t="), at = name;
	const char *slash = strrchr(r->src->name, '/');
	struct poly_str value = { 0 };
	enum tool_exit status;

	at += strspn(text + at, " \t");
	if (!name || text[at] != '=')
		return wrong(r, "NAME = VALUES was expected");
	at++;
	at += strspn(text + at, " \t");
	if (!is_usable(text + at, !strcmp(option, "expect")))
		return wrong(r, "values, a .npy file beside the program, or "
			"another output was expected");
	poly_str_addn(&value, text, name);
	poly_str_add(&value, "=");
	if (slash && tool_ends_with(text, ".npy"))
		poly_str_addn(&value, r->src->name,
			(size_t)(slash + 1 - r->src->name));
	poly_str_add(&value, text + at);
	status = value.failed ? tool_no_memory("a case") :
		add_option(r, option, value.s);
	poly_str_free(&value);
	r->now->is_random = false;
	return status;
}

static enum tool_exit add_input(struct reader *r, const char *text)
{
	return add_array(r, "input", text);
}

static enum tool_exit add_output(struct reader *r, const char *text)
{
	return add_array(r, "expect", text);
}

static enum tool_exit set_error(struct reader *r, const char *text)
{
	if (!*text)
		return wrong(r, "error: takes a regular expression");
	free(r->now->error);
	r->now->error = strdup(text);
	return r->now->error ? TOOL_OK : tool_no_memory("a case");
}

/* The comment "text" as a line of a case, or the end of one. */
static enum tool_exit read_comment(struct reader *r, const char *text)
{
	static enum tool_exit (*const read[])(struct reader *r,
		const char *text) = { begin_case, set_seed, add_input, add_output,
		set_error };
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	const char *rest = text + len + 1;
	int i;

	if (!len || text[len] != ':') {
		r->now = NULL;
		return TOOL_OK;
	}
	rest += strspn(rest, " \t");
	i = find_row(text, len);
	if (i >= 0)
		return !i || r->now ? read[i](r, rest) : TOOL_OK;
	return r->now ? wrong(r, "in a case there are random:, input:, "
		"output: and error:") : TOOL_OK;
}

enum tool_exit tool_cases_read(const struct tool_source *src,
	struct tool_cases *c)
{
	struct reader r = { .src = src, .c = c };
	const char *p = src->text, *end;
	enum tool_exit status = TOOL_OK;
	char *text;

	for (; *p && status == TOOL_OK; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		r.loc.line++;
		text = comment_of(p, end, &r.loc);
		if (text)
			status = read_comment(&r, text);
		else
			r.now = NULL;
		free(text);
	}
	return status;
}

void tool_cases_free(struct tool_cases *c)
{
	int i;

	for (i = 0; i < c->n; i++) {
		free(c->item[i].title);
		free(c->item[i].error);
		tool_args_free(&c->item[i].word);
	}
	free(c->item);
	*c = (struct tool_cases){ 0 };
}

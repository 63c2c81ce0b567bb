/* Files of arguments: "@FILE" stands for the words in FILE.
 *
 * Words are parted by white space. '...' is taken as it is; in "..." and
 * outside quotes a backslash takes the next character as it is, and joins
 * lines. A word that begins with an unquoted @ names a further file. From
 * the word "--" on, @ is a character like others.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

/* Argument files within one another; arguments in all. */
enum { DEPTH_MOST = 16, ARGS_MOST = 100000 };

static const char space[] = " \t\n\v\f\r";

/* What is left of a file, and the word read last. */
struct reader {
	const char *p;
	struct poly_str word;
	bool quoted;	/* the first character was */
	bool open;	/* a quote was not closed */
};

/* Where words go. */
struct expansion {
	struct tool_args *args, *files;
	bool only_files;	/* behind "--" */
};

static enum tool_exit no_memory(void)
{
	return tool_no_memory("the command line");
}

static enum tool_exit refuse(const char *file, const char *why)
{
	tool_message(MSG_USAGE_ARGS, file, why);
	return TOOL_USAGE;
}

/* --------------------------------------------------------------- reading */

/* A backslash and what it quotes; inside double quotes it is itself before
 * most characters.
 */
static void read_escape(struct reader *r, bool in_quotes)
{
	char c = *++r->p;

	if (!c || (in_quotes && !strchr("\"\\$`\n", c)))
		poly_str_add(&r->word, "\\");
	if (c && c != '\n')
		poly_str_addn(&r->word, r->p, 1);
	r->p += c != '\0';
}

/* Append what stands in quotes, and go behind them; a backslash escapes in
 * double ones alone. "open" says that the second quote is missing.
 */
static void read_quoted(struct reader *r)
{
	char quote = *r->p++;

	while (*r->p && *r->p != quote) {
		if (*r->p == '\\' && quote == '"')
			read_escape(r, true);
		else
			poly_str_addn(&r->word, r->p++, 1);
	}
	r->open = !*r->p;
	r->p += !r->open;
}

/* The next word; false at the end of the file, or in an open quote. */
static bool read_word(struct reader *r)
{
	poly_str_free(&r->word);
	poly_str_add(&r->word, "");
	r->p += strspn(r->p, space);
	while (!strncmp(r->p, "\\\n", 2))
		r->p += 2 + strspn(r->p + 2, space);
	if (!*r->p)
		return false;
	r->quoted = *r->p != '@';
	while (*r->p && !strchr(space, *r->p) && !r->open) {
		if (*r->p == '\\')
			read_escape(r, false);
		else if (*r->p == '\'' || *r->p == '"')
			read_quoted(r);
		else
			poly_str_addn(&r->word, r->p++, 1);
	}
	return !r->open;
}

/* ------------------------------------------------------------- expansion */

static enum tool_exit expand(struct expansion *x, const char *word,
	bool quoted, int depth);

/* Add the words of an argument file, which may name further files. */
static enum tool_exit expand_text(struct expansion *x,
	const struct tool_source *src, int depth)
{
	struct reader r = { .p = src->text };
	enum tool_exit status = TOOL_OK;

	if (strlen(src->text) != src->len)
		return refuse(src->name, "it holds a NUL byte");
	while (status == TOOL_OK && read_word(&r)) {
		if (r.word.failed)
			status = no_memory();
		else
			status = expand(x, r.word.s, r.quoted, depth);
	}
	if (r.open)
		status = refuse(src->name, "a quote is not closed");
	poly_str_free(&r.word);
	return status;
}

/* Add "word", or what the file holds that it names. */
static enum tool_exit expand(struct expansion *x, const char *word,
	bool quoted, int depth)
{
	struct tool_source src;
	enum tool_exit status;

	if (x->args->n >= ARGS_MOST)
		return refuse("the command line", "too many arguments");
	x->only_files |= !strcmp(word, "--");
	if (word[0] != '@' || !word[1] || quoted || x->only_files)
		return tool_args_add(x->args, word);
	if (depth >= DEPTH_MOST)
		return refuse(word + 1, "files of arguments name one another "
			"too deeply");
	status = tool_source_read(&src, word + 1,
		TOOL_MOST_TEXT);
	if (status != TOOL_OK)
		return status;
	status = tool_args_add(x->files, word + 1);
	if (status == TOOL_OK)
		status = expand_text(x, &src, depth + 1);
	tool_source_free(&src);
	return status;
}

enum tool_exit tool_args_expand(struct tool_args *args,
	struct tool_args *files, int argc, char **argv)
{
	struct expansion x = { .args = args, .files = files };
	enum tool_exit status = TOOL_OK;
	int i;

	*args = *files = (struct tool_args){ 0 };
	for (i = 0; i < argc && status == TOOL_OK; i++)
		status = expand(&x, argv[i], i == 0, 0);
	return status;
}

/* Edits to the text of a program. The lines of a record or a tree node are
 * found by their indentation.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "edit.h"

/* Part of a text, [from, to). */
struct span {
	const char *from, *to;
};

static void replace_with(struct poly_str *text, struct poly_str *with)
{
	assert_false(with->failed);
	poly_str_free(text);
	*text = *with;
}

static void replace(struct poly_str *text, const char *a, const char *b)
{
	struct poly_str out = { 0 };
	const char *p = text->s, *hit = strstr(p, a);

	if (!hit)
		fail_msg("nothing to replace: %s", a);
	for (; hit; hit = strstr(p, a)) {
		poly_str_addn(&out, p, (size_t)(hit - p));
		poly_str_add(&out, b);
		p = hit + strlen(a);
	}
	poly_str_add(&out, p);
	replace_with(text, &out);
}

static const char *line_start(const char *text, const char *p)
{
	while (p > text && p[-1] != '\n')
		p--;
	return p;
}

static size_t indent_of(const char *line)
{
	return strspn(line, " ");
}

/* The child that the first occurrence of "key" stands in. */
static struct span child_of(const struct poly_str *text, const char *key)
{
	const char *hit = strstr(text->s, key);
	struct span s;
	size_t depth;

	if (!hit)
		fail_msg("nothing to move: %s", key);
	s.from = line_start(text->s, hit);
	depth = indent_of(s.from);
	while (depth && (strncmp(s.from + indent_of(s.from), "filter", 6) ||
			 indent_of(s.from) > depth)) {
		if (indent_of(s.from) < depth)
			depth = indent_of(s.from);
		s.from = line_start(text->s, s.from - 1);
	}
	depth = indent_of(s.from);
	s.to = strchr(s.from, '\n') + 1;
	while (*s.to && indent_of(s.to) > depth)
		s.to = strchr(s.to, '\n') + 1;
	return s;
}

static void add_span(struct poly_str *out, const char *from, const char *to)
{
	poly_str_addn(out, from, (size_t)(to - from));
}

static void swap(struct poly_str *text, const char *a, const char *b)
{
	struct poly_str out = { 0 };
	struct span x = child_of(text, a), y = child_of(text, b), other;

	if (x.from > y.from) {
		other = x;
		x = y;
		y = other;
	}
	assert_true(x.to <= y.from);
	add_span(&out, text->s, x.from);
	add_span(&out, y.from, y.to);
	add_span(&out, x.to, y.from);
	add_span(&out, x.from, x.to);
	poly_str_add(&out, y.to);
	replace_with(text, &out);
}

/* Take the child "a" out and put it before the child "b". */
static void move(struct poly_str *text, const char *a, const char *b)
{
	struct poly_str out = { 0 };
	struct span x = child_of(text, a), y = child_of(text, b);

	if (x.from < y.from) {
		add_span(&out, text->s, x.from);
		add_span(&out, x.to, y.from);
		add_span(&out, x.from, x.to);
		poly_str_add(&out, y.from);
	} else {
		add_span(&out, text->s, y.from);
		add_span(&out, x.from, x.to);
		add_span(&out, y.from, x.from);
		poly_str_add(&out, x.to);
	}
	replace_with(text, &out);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does "name" stand in the line [from, to) as a whole word? */
static bool names(const char *from, const char *to, const char *name)
{
	size_t n = strlen(name);

	for (; from + n <= to; from++)
		if (!strncmp(from, name, n) && !is_name(from[n]) &&
		    !is_name(from[-1]))
			return true;
	return false;
}

/* Leave out the lines that name "name", and what else is said of it. */
static void drop(struct poly_str *text, const char *name)
{
	struct poly_str out = { 0 };
	const char *p, *eol;
	bool detail = false;

	for (p = text->s; *p; p = eol) {
		bool named;

		eol = strchr(p, '\n') + 1;
		named = p != text->s && names(p, eol, name);
		detail = detail && !strncmp(p, "  ", 2);
		if (!named && !detail)
			add_span(&out, p, eol);
		detail |= named && !strncmp(p, "stmt ", 5);
	}
	if (out.len == text->len)
		fail_msg("nothing to drop: %s", name);
	replace_with(text, &out);
}

void edit_text(struct poly_str *text, const struct edit *edit, int n)
{
	for (int i = 0; i < n && edit[i].how != EDIT_NONE; i++) {
		const struct edit *e = &edit[i];

		if (e->how == EDIT_REPLACE)
			replace(text, e->a, e->b);
		else if (e->how == EDIT_SWAP)
			swap(text, e->a, e->b);
		else if (e->how == EDIT_MOVE)
			move(text, e->a, e->b);
		else
			drop(text, e->a);
	}
}

struct poly_prog *edit_parse(isl_ctx *ctx, const struct poly_str *text,
	struct poly_report *report)
{
	struct poly_prog *prog = poly_parse(ctx, text->s, text->len, report);

	for (int i = 0; i < report->n_msg; i++)
		print_error("%d:%d: E%d: %s\n", report->msg[i].loc.line,
			report->msg[i].loc.col, report->msg[i].number,
			report->msg[i].text);
	assert_non_null(prog);
	assert_int_equal(report->n_msg, 0);
	return prog;
}

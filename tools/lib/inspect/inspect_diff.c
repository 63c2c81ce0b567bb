/* cetane inspect --schedule --against=FILE: how the schedule tree differs from one that
 * was printed before: a line in both has two blanks in front, one that is gone "- ", one
 * that is new "+ ". Of all ways to tell it, one that keeps the most lines is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/inspect.h"

/* A text of lines, without their ends. */
struct lines {
	const char **at;
	size_t *len;
	int n;
};
enum { MOST_LINES = 4000 };

/* Split "text"; false without memory, or with too many lines. */
static bool split(struct lines *l, const char *text)
{
	l->at = calloc(MOST_LINES, sizeof(*l->at));
	l->len = calloc(MOST_LINES, sizeof(*l->len));
	if (!l->at || !l->len)
		return false;
	while (*text && l->n < MOST_LINES) {
		size_t len = strcspn(text, "\n");

		l->at[l->n] = text;
		l->len[l->n++] = len;
		text += len + (text[len] == '\n');
	}
	return !*text;
}

static bool same(const struct lines *a, int i, const struct lines *b, int j)
{
	return a->len[i] == b->len[j] && !memcmp(a->at[i], b->at[j], a->len[i]);
}

static void add(struct poly_str *out, const char *mark, const struct lines *l,
	int i)
{
	poly_str_add(out, mark);
	poly_str_addn(out, l->at[i], l->len[i]);
	poly_str_add(out, "\n");
}

/* Append the lines of both. "kept" has, for each pair of places, how many lines can be
 * kept from there on, in rows of b->n + 1.
 */
static void walk(const struct lines *a, const struct lines *b,
	const uint16_t *kept, struct poly_str *out)
{
	int i = 0, j = 0, row = b->n + 1;

	while (i < a->n || j < b->n) {
		if (i < a->n && j < b->n && same(a, i, b, j)) {
			add(out, "  ", a, i++);
			j++;
		} else if (i < a->n && (j == b->n || kept[(i + 1) * row + j] >=
				kept[i * row + j + 1])) {
			add(out, "- ", a, i++);
		} else {
			add(out, "+ ", b, j++);
		}
	}
}

/* Fill "kept" from the end on. */
static void count(const struct lines *a, const struct lines *b, uint16_t *kept)
{
	int i, j, row = b->n + 1;

	for (i = a->n - 1; i >= 0; i--)
		for (j = b->n - 1; j >= 0; j--) {
			uint16_t down = kept[(i + 1) * row + j];
			uint16_t right = kept[i * row + j + 1];

			kept[i * row + j] = same(a, i, b, j) ?
				kept[(i + 1) * row + j + 1] + 1 :
				down > right ? down : right;
		}
}

enum tool_exit tool_tree_compare(const char *path, const char *tree,
	struct poly_str *out)
{
	struct tool_source file = { 0 };
	struct lines a = { 0 }, b = { 0 };
	uint16_t *kept = NULL;
	enum tool_exit status = tool_source_read_file(&file, path,
		TOOL_MOST_TEXT);

	if (status != TOOL_OK)
		return status;
	if (split(&a, file.text) && split(&b, tree))
		kept = calloc((size_t)(a.n + 1) * (size_t)(b.n + 1),
			sizeof(*kept));
	if (kept) {
		count(&a, &b, kept);
		walk(&a, &b, kept, out);
	} else if (a.n == MOST_LINES || b.n == MOST_LINES) {
		tool_message(MSG_BENCH_RESULTS, path,
			"it, or the other one, has more than 4000 lines");
		status = TOOL_INPUT;
	} else if (a.n == MOST_LINES || b.n == MOST_LINES) {
		tool_message(MSG_BENCH_RESULTS, path,
			"it, or the other one, has more than 4000 lines");
		status = TOOL_INPUT;
	} else {
		status = tool_no_memory("the lines of two schedules");
	}
	free(kept);
	free(a.at);
	free(a.len);
	free(b.at);
	free(b.len);
	tool_source_free(&file);
	return status;
}

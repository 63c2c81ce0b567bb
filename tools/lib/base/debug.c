/* The words of $CETANE_DEBUG, by the table debug.def. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/base.h"

/* One row a word. "%d" in it stands for a number. */
const struct tool_debug_row tool_debug_row[] = {
#define DEBUG(id, word, help) { word, help },
#include "tools/lib/base/debug.def"
#undef DEBUG
};

/* Is the "len" bytes of "text" the word "row", with "number" where that has one?
 *
 * The word is put together and compared as a whole.
 */
static bool is_word(const char *text, size_t len,
	const struct tool_debug_row *row, int number)
{
	char word[32];
	const char *at = strstr(row->word, "%d");

	if (at)
		snprintf(word, sizeof(word), "%.*s%d", (int)(at - row->word),
			row->word, number);
	else
		snprintf(word, sizeof(word), "%s", row->word);
	return strlen(word) == len && !memcmp(word, text, len);
}

/* Commas divide the words. The variable is read each time: it is asked for
 * rarely.
 */
bool tool_debug_has(enum tool_debug what, int number)
{
	const char *word = getenv("CETANE_DEBUG");
	size_t len;

	for (; word && *word; word += len + (word[len] == ',')) {
		len = strcspn(word, ",");
		if (is_word(word, len, &tool_debug_row[what], number))
			return true;
	}
	return false;
}

int tool_debug_number(enum tool_debug what)
{
	for (int n = 1; n < TOOL_MOST_DEBUG_NUMBER && getenv("CETANE_DEBUG"); n++)
		if (tool_debug_has(what, n))
			return n;
	return 0;
}

/* Does the table have the "len" bytes of "text"?
 *
 * Each number that a word may have is tried.
 */
static bool is_known(const char *text, size_t len)
{
	for (int i = 0; i < TOOL_N_DEBUG; i++)
		for (int n = 0; n < (strchr(tool_debug_row[i].word, '%') ?
				TOOL_MOST_DEBUG_NUMBER : 1); n++)
			if (is_word(text, len, &tool_debug_row[i], n))
				return true;
	return false;
}

/* A word that is none would have no effect and go unnoticed; so it is an error,
 * with all words that there are. Empty words are allowed.
 */
bool tool_debug_check(void)
{
	const char *word = getenv("CETANE_DEBUG");
	struct poly_str known = { 0 };
	size_t len;

	for (; word && *word; word += len + (word[len] == ',')) {
		len = strcspn(word, ",");
		if (!len || is_known(word, len))
			continue;
		for (int i = 0; i < TOOL_N_DEBUG; i++)
			poly_str_printf(&known, "%s%s", i ? ", " : "",
				tool_debug_row[i].word);
		tool_message(MSG_USAGE_DEBUG, (int)len, word,
			known.s ? known.s : "");
		poly_str_free(&known);
		return false;
	}
	return true;
}

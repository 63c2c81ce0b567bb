/* The nearest right spelling: the candidate with the smallest edit distance,
 * if that is at most a third of the word's length (and at least 1).
 */
#ifndef TOOLS_LIB_SUGGEST_H
#define TOOLS_LIB_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

struct tool_suggest {
	const char *word;
	size_t len;
	size_t best;	/* distance that a candidate must stay below */
};
/* "word" of "len" bytes is not copied. */
struct tool_suggest tool_suggest_begin(const char *word, size_t len);
/* True if "candidate" is nearer than all before it. */
bool tool_suggest_try(struct tool_suggest *s, const char *candidate);

#endif

/* The rows of option.def as arrays, and the words that options choose from.
 */
#include <string.h>

#include "tools/lib/base/option.h"

/* Short names for the rows of option.def, which uses them. */
enum {
	FLAG = TOOL_FLAG,
	TEXT = TOOL_TEXT,
	LIST = TOOL_LIST,
	COUNT = TOOL_COUNT,
	BYTES = TOOL_BYTES,
	SECONDS = TOOL_SECONDS,
	PERCENT = TOOL_PERCENT
};

/* Each verb is a bit, so that an option can be of several. The table is read
 * four times: here for the bits, then once for each kind of row.
 */
enum {
#define VERB(id, name, operand, help) id = 1 << TOOL_##id,
#define EMIT(id, name, suffix, stage, help)
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/lib/base/option.def"
#undef VERB
#undef EMIT
#undef OPTION
	ALL = (1 << TOOL_N_VERB) - 1
};

/* Rows of the table that are of another kind expand to nothing. */
const struct tool_verb_row tool_verb_row[TOOL_N_VERB] = {
#define VERB(id, name, operand, help) { name, operand, help },
#define EMIT(id, name, suffix, stage, help)
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/lib/base/option.def"
#undef VERB
#undef EMIT
#undef OPTION
};

const struct tool_emit_row tool_emit_row[TOOL_N_EMIT] = {
#define VERB(id, name, operand, help)
#define EMIT(id, name, suffix, stage, help) { name, suffix, help },
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/lib/base/option.def"
#undef VERB
#undef EMIT
#undef OPTION
};

/* "field" is where in struct tool_options the value goes. */
const struct tool_option_row tool_option_row[] = {
#define VERB(id, name, operand, help)
#define EMIT(id, name, suffix, stage, help)
#define OPTION(verbs, letter, name, kind, field, argument, help)	\
	{ verbs, letter, name, (enum tool_kind)kind,			\
	  offsetof(struct tool_options, field), argument, help },
#include "tools/lib/base/option.def"
#undef VERB
#undef EMIT
#undef OPTION
};

const int tool_n_option = sizeof(tool_option_row) / sizeof(tool_option_row[0]);

/* In the order of enum tool_from, enum poly_mapping, enum tool_verify,
 * enum tool_color and enum tool_format.
 *
 * A word's place in its row is the value of the enumeration.
 */
static const struct {
	const char *option;
	const char *word[7];	/* ends with NULL */
} choices[] = {
	{ "from", { "dsl", "poly", "llvm" } },
	{ "map", { "tiled", "naive" } },
	{ "fp", { "strict", "reassoc", "relaxed" } },
	{ "verify", { "auto", "full", "sample", "naive", "both", "none" } },
	{ "sanitize", { "all", "bounds", "uninit", "race" } },
	{ "color", { "auto", "always", "never" } },
	{ "format", { "text", "json" } },
	{ "semantics", { "ieee", "ring" } },
	{ "regime", { "plain", "burst", "steady" } },
	{ "generate", { "man", "bash", "zsh", "fish" } },
};

enum { N_CHOICES = sizeof(choices) / sizeof(choices[0]) };

/* The name that --emit takes. */
const char *tool_emit_name(enum tool_emit kind)
{
	return tool_emit_row[kind].name;
}

/* The suffix of the file that is written. */
const char *tool_emit_suffix(enum tool_emit kind)
{
	return tool_emit_row[kind].suffix;
}

/* The bits of the row say which verbs take it. */
bool tool_option_is_of(const struct tool_option_row *p, enum tool_verb verb)
{
	return p->verbs >> verb & 1;
}

/* One word each kind, in the table's order. */
static int choices_of_emit(const char **word)
{
	int i;

	for (i = 0; i < TOOL_N_EMIT; i++)
		word[i] = tool_emit_row[i].name;
	return TOOL_N_EMIT;
}

/* The words that --arch takes: targets, then products; returns how many.
 *
 * Both tables belong to the back end; families are left out here.
 */
static int choices_of_arch(const char **word)
{
	int i, n = 0;

	for (i = 0; n < TOOL_CHOICE_MOST && nvptx_target_at(i); i++)
		word[n++] = nvptx_target_at(i)->name;
	for (i = 0; n < TOOL_CHOICE_MOST && nvptx_product_at(i); i++)
		word[n++] = nvptx_product_at(i)->name;
	return n;
}

/* The hosts that objects are made for. */
static int choices_of_host(const char **word)
{
	int n;

	for (n = 0; nvptx_host_at(n); n++)
		word[n] = nvptx_host_at(n)->name;
	return n;
}

/* "word" has room for TOOL_CHOICE_MOST. 0 for an option that takes any text. */
int tool_option_choices(const char *option, const char **word)
{
	int i, n = 0;

	if (!strcmp(option, "emit"))
		return choices_of_emit(word);
	if (!strcmp(option, "arch"))
		return choices_of_arch(word);
	if (!strcmp(option, "host"))
		return choices_of_host(word);
	for (i = 0; i < N_CHOICES; i++)
		if (!strcmp(option, choices[i].option))
			for (; choices[i].word[n]; n++)
				word[n] = choices[i].word[n];
	return n;
}

/* The rows of option.def, for those who read them: the parser (option.c),
 * and in the command --help, the manual page and completions. A verb that is
 * not in "verbs" of a row does not have that option.
 */
#ifndef TOOLS_LIB_OPTION_H
#define TOOLS_LIB_OPTION_H

#include "tools/lib/lib.h"

enum tool_kind {
	TOOL_FLAG,	/* bool */
	TOOL_TEXT,	/* const char * */
	TOOL_LIST,	/* struct tool_list */
	TOOL_COUNT,	/* int64_t >= 0 */
	TOOL_BYTES,	/* int64_t, may end in K, M, G or T */
	TOOL_SECONDS,	/* double */
	TOOL_PERCENT	/* double */
};

struct tool_verb_row {
	const char *name;
	const char *operand;	/* what stands behind the verb, NULL: nothing */
	const char *help;
};
struct tool_emit_row {
	const char *name, *suffix, *help;
};
struct tool_option_row {
	unsigned verbs;		/* 1 << enum tool_verb */
	char letter;		/* 0: none */
	const char *name;
	enum tool_kind kind;
	size_t offset;		/* into struct tool_options */
	const char *argument;	/* what help calls it; NULL: a flag */
	const char *help;
};

/* --------------------------------------------------------------- option.c */

/* The verb "name"; TOOL_USAGE, having said so, if there is none. */
enum tool_exit tool_verb_find(const char *name, enum tool_verb *verb);
/* Say that "value" is no "what", which "option" wants; false. */
bool tool_option_bad(const char *option, const char *what, const char *value);
/* Say, and note in "o", that there is no memory; false. */
bool tool_option_no_memory(struct tool_options *o);

/* --------------------------------------------------------- option_check.c */

/* Convert the values of the options, and see that they go together; false, having
 * said why not.
 */
bool tool_options_judge(struct tool_options *o);

/* ---------------------------------------------------------------- table.c */

extern const struct tool_verb_row tool_verb_row[TOOL_N_VERB];
extern const struct tool_emit_row tool_emit_row[TOOL_N_EMIT];
extern const struct tool_option_row tool_option_row[];
extern const int tool_n_option;

enum { TOOL_CHOICE_MOST = 128 };
/* The words that the option called "option" takes, up to TOOL_CHOICE_MOST of
 * them at "word"; returns their number, 0 if it takes any text.
 */
int tool_option_choices(const char *option, const char **word);
/* True if "verb" has the option "p". */
bool tool_option_is_of(const struct tool_option_row *p, enum tool_verb verb);

#endif

/* The rows of option.def, for those who read them: the parser (option.c),
 * --help (help.c), the manual page (generate.c) and completions (complete.c). A verb that is not in "verbs" of a row does not have that
 * option.
 */
#ifndef TOOLS_OPTION_H
#define TOOLS_OPTION_H

#include "tools/tools.h"

enum tool_kind {
	TOOL_FLAG,	/* bool */
	TOOL_TEXT,	/* const char * */
	TOOL_LIST,	/* struct tool_list */
	TOOL_COUNT,	/* int64_t >= 0 */
	TOOL_BYTES,	/* int64_t, may end in K, M, G or T */
	TOOL_SECONDS	/* double */
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

/* ---------------------------------------------------------------- table.c */

extern const struct tool_verb_row tool_verb_row[TOOL_N_VERB];
extern const struct tool_emit_row tool_emit_row[TOOL_N_EMIT];
extern const struct tool_option_row tool_option_row[];
extern const int tool_n_option;

enum { TOOL_CHOICE_MOST = 64 };
/* The words that the option called "option" takes, up to TOOL_CHOICE_MOST of
 * them at "word"; returns their number, 0 if it takes any text.
 */
int tool_option_choices(const char *option, const char **word);
/* True if "verb" has the option "p". */
bool tool_option_is_of(const struct tool_option_row *p, enum tool_verb verb);

/* ----------------------------------------------------------------- help.c */

enum { TOOL_WIDTH = 79 };
/* Print "text" from column "at" on, its words wrapped at TOOL_WIDTH, further
 * lines beginning in column "indent", and end the line.
 */
void tool_print_wrapped(const char *text, int at, int indent);
void tool_print_help(void);
void tool_print_verb_help(enum tool_verb verb);

/* ------------------------------------------------------------- generate.c */

/* Print the manual page ("man") or a completion ("bash", "zsh", "fish");
 * false if "kind" is none of them.
 */
bool tool_generate(const char *kind);

/* ------------------------------------------------------------- complete.c */

void tool_complete_bash(void);
void tool_complete_zsh(void);
void tool_complete_fish(void);

#endif

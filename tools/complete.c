/* Completions of bash, zsh and fish: verbs, the options of each verb, and the
 * words that an option chooses from; files wherever nothing else is known.
 */
#include <stdio.h>
#include <string.h>

#include "tools/lib/base/option.h"
#include "tools/tools.h"

/* The words of "option" with "separator" between them; false if it takes any
 * text.
 *
 * The words of an option that chooses come from the same table as its check.
 */
static bool print_choices(const char *option, const char *separator)
{
	const char *word[TOOL_CHOICE_MOST];
	int i, n = tool_option_choices(option, word);

	for (i = 0; i < n; i++)
		printf("%s%s", i ? separator : "", word[i]);
	return n > 0;
}

/* Print "text" with a backslash before each of "special".
 *
 * Which characters are special depends on the quotes around it.
 */
static void print_escaped(const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

/* ------------------------------------------------------------------ bash */

/* bash gets two functions with a "case" each, and one that looks at the word in
 * front.
 */

/* Print the case of a verb, which echoes its options.
 *
 * Spellings with one letter come first.
 */
static void print_bash_options(enum tool_verb verb)
{
	const struct tool_option_row *p;
	int i;

	printf("\t%s)\n\t\techo \"", tool_verb_row[verb].name);
	for (i = 0; i < tool_n_option; i++) {
		p = &tool_option_row[i];
		if (!tool_option_is_of(p, verb))
			continue;
		if (p->letter)
			printf("-%c ", p->letter);
		printf("--%s ", p->name);
	}
	printf("\"\n\t\t;;\n");
}

/* What may follow each option that chooses from words.
 *
 * Options that take any text have no case: files are completed there.
 */
static void print_bash_values(void)
{
	const char *word[TOOL_CHOICE_MOST];
	int i;

	for (i = 0; i < tool_n_option; i++) {
		if (!tool_option_choices(tool_option_row[i].name, word))
			continue;
		printf("\t--%s)\n\t\techo \"", tool_option_row[i].name);
		print_choices(tool_option_row[i].name, " ");
		printf("\"\n\t\t;;\n");
	}
}

/* Print the shell functions that echo the options of a verb and the words of an
 * option, and the list of verbs.
 *
 * The names begin with "_cetane", so that they are in no one's way.
 */
static void print_bash_tables(void)
{
	int i;

	printf("_cetane_options()\n{\n\tcase $1 in\n");
	for (i = 0; i < TOOL_N_VERB; i++)
		print_bash_options((enum tool_verb)i);
	printf("\tesac\n}\n\n_cetane_values()\n{\n\tcase $1 in\n");
	print_bash_values();
	printf("\tesac\n}\n\n_cetane_verbs=\"");
	for (i = 0; i < TOOL_N_VERB; i++)
		printf("%s ", tool_verb_row[i].name);
	printf("--help --version\"\n");
}

/* bash takes "=" for a word of its own.
 *
 * So the option in front of a word is one or two words before it. "-o default"
 * completes files where the function offers nothing.
 */
void tool_complete_bash(void)
{
	printf("# bash completion of cetane; made by cetane --generate=bash\n"
		"\n");
	print_bash_tables();
	printf("%s",
		"\n"
		"_cetane()\n"
		"{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} words\n"
		"\tlocal option=${COMP_WORDS[COMP_CWORD - 1]}\n"
		"\n"
		"\tif [ \"$cur\" = \"=\" ]; then\n"
		"\t\tcur=\n"
		"\telif [ \"$option\" = \"=\" ]; then\n"
		"\t\toption=${COMP_WORDS[COMP_CWORD - 2]}\n"
		"\tfi\n"
		"\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
		"\t\twords=$_cetane_verbs\n"
		"\telif [ \"${cur#-}\" != \"$cur\" ]; then\n"
		"\t\twords=$(_cetane_options \"${COMP_WORDS[1]}\")\n"
		"\telse\n"
		"\t\twords=$(_cetane_values \"$option\")\n"
		"\tfi\n"
		"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		"}\n"
		"\n"
		"complete -o default -F _cetane cetane\n");
}

/* ------------------------------------------------------------------- zsh */

/* zsh takes descriptions of options as texts of its own form, which _arguments
 * reads.
 */

/* Print "text" inside single quotes and brackets.
 *
 * A single quote ends the text: it is written outside of it.
 */
static void print_zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (strchr("[]\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

/* The argument of an option: ":OUT:(words)", or files.
 *
 * A colon inside of the name must not end it.
 */
static void print_zsh_argument(const struct tool_option_row *p)
{
	const char *word[TOOL_CHOICE_MOST];

	if (!p->argument)
		return;
	printf(":");
	print_escaped(p->argument, ":");
	if (!tool_option_choices(p->name, word)) {
		printf(":_files");
		return;
	}
	printf(":(");
	print_choices(p->name, " ");
	printf(")");
}

/* Print the option as _arguments takes it: what excludes it, its spellings, its
 * help and its argument. One that may stand several times excludes nothing.
 *
 *	'(-o --output)'{-o+,--output=}'[help]:PATH:_files'
 */
static void print_zsh_option(const struct tool_option_row *p)
{
	const char *equals = p->argument ? "=" : "";

	printf("\t\t");
	if (p->kind == TOOL_LIST)
		printf("'*'");
	else if (p->letter)
		printf("'(-%c --%s)'", p->letter, p->name);
	if (p->letter)
		printf("{-%c%s,--%s%s}'[", p->letter, p->argument ? "+" : "",
			p->name, equals);
	else
		printf("--%s%s'[", p->name, equals);
	print_zsh_text(p->help);
	printf("]");
	print_zsh_argument(p);
	printf("'\n");
}

/* Print the case of a verb, with its options and operand.
 *
 * A verb without an operand completes none.
 */
static void print_zsh_verb(enum tool_verb verb)
{
	const struct tool_verb_row *v = &tool_verb_row[verb];
	int i;

	printf("%s)\n\tspecs=(\n", v->name);
	for (i = 0; i < tool_n_option; i++)
		if (tool_option_is_of(&tool_option_row[i], verb))
			print_zsh_option(&tool_option_row[i]);
	if (v->operand)
		printf("\t\t':%s:%s'\n", v->operand,
			strcmp(v->operand, "FILE") ? " " : "_files");
	printf("\t)\n\t;;\n");
}

/* The file is loaded by its first line, "#compdef". */
void tool_complete_zsh(void)
{
	int i;

	printf("#compdef cetane\n"
		"# zsh completion of cetane; made by cetane --generate=zsh\n"
		"\nlocal -a verbs specs\n\nverbs=(\n");
	for (i = 0; i < TOOL_N_VERB; i++) {
		printf("\t'%s:", tool_verb_row[i].name);
		print_zsh_text(tool_verb_row[i].help);
		printf("'\n");
	}
	printf(")\nif (( CURRENT == 2 )); then\n\t_describe verb verbs\n"
		"\treturn\nfi\nshift words\n(( CURRENT-- ))\n"
		"case $words[1] in\n");
	for (i = 0; i < TOOL_N_VERB; i++)
		print_zsh_verb((enum tool_verb)i);
	printf("esac\n_arguments -s $specs\n");
}

/* ------------------------------------------------------------------ fish */

/* fish gets a command for each option of each verb. */

/* Print the command that tells fish of the option behind "verb".
 *
 * -x takes only the words that are listed, -r any argument.
 */
static void print_fish_option(const struct tool_option_row *p,
	const char *verb)
{
	const char *word[TOOL_CHOICE_MOST];

	printf("complete -c cetane -n '__fish_seen_subcommand_from %s'", verb);
	if (p->letter)
		printf(" -s %c", p->letter);
	printf(" -l %s", p->name);
	if (p->argument && tool_option_choices(p->name, word)) {
		printf(" -x -a '");
		print_choices(p->name, " ");
		printf("'");
	} else if (p->argument) {
		printf(" -r");
	}
	printf(" -d '");
	print_escaped(p->help, "'\\");
	printf("'\n");
}

/* Verbs first, then their options. */
void tool_complete_fish(void)
{
	int i, verb;

	printf("# fish completion of cetane; made by cetane "
		"--generate=fish\n\n");
	for (verb = 0; verb < TOOL_N_VERB; verb++) {
		printf("complete -c cetane -f -n __fish_use_subcommand -a %s "
			"-d '", tool_verb_row[verb].name);
		print_escaped(tool_verb_row[verb].help, "'\\");
		printf("'\n");
	}
	for (verb = 0; verb < TOOL_N_VERB; verb++)
		for (i = 0; i < tool_n_option; i++)
			if (tool_option_is_of(&tool_option_row[i],
					(enum tool_verb)verb))
				print_fish_option(&tool_option_row[i],
					tool_verb_row[verb].name);
}

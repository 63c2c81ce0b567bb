/* --generate: the manual page and the completions of shells, made from
 * option.def when the command is built, so that they cannot disagree with it.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tools/lib/base/option.h"
#include "tools/tools.h"

static const struct {
	const char *name, *help;
} variables[] = {
#define ENVIRONMENT(name, help) { name, help },
#include "tools/environment.def"
#undef ENVIRONMENT
};
enum { N_VARIABLE = sizeof(variables) / sizeof(variables[0]) };

static const struct {
	const char *code, *help;
} exits[] = {
	{ "0", "everything was done" },
	{ "1", "the program or another input is wrong" },
	{ "2", "the command line is wrong" },
	{ "3", "the environment fails: files, driver, assembler, device" },
	{ "4", "a limit on time or memory was reached" },
	{ "5", "verification failed" },
	{ "70", "internal error; a file for a report was written" },
};
enum { N_EXIT = sizeof(exits) / sizeof(exits[0]) };

/* ----------------------------------------------------------- manual page */

/* Print "text" as roff text: hyphens and backslashes are the characters, and
 * nothing at its beginning is a request.
 */
static void print_roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text; text++) {
		if (*text == '-')
			printf("\\-");
		else if (*text == '\\')
			printf("\\e");
		else
			putchar(*text);
	}
}

/* A paragraph with "term" hanging in front of "text". */
static void print_item(const char *term, const char *text)
{
	printf(".TP\n.B ");
	print_roff(term);
	printf("\n");
	print_roff(text);
	printf("\n");
}

static void print_man_option(const struct tool_option_row *p)
{
	printf(".TP\n");
	if (p->letter)
		printf("\\fB\\-%c\\fR, ", p->letter);
	printf("\\fB\\-\\-");
	print_roff(p->name);
	printf("\\fR");
	if (p->argument) {
		printf("=\\fI");
		print_roff(p->argument);
		printf("\\fR");
	}
	printf("\n");
	print_roff(p->help);
	printf("\n");
}

static void print_man_verb(enum tool_verb verb)
{
	const struct tool_verb_row *v = &tool_verb_row[verb];
	int i;

	printf(".SS \"cetane %s%s%s\"\n%c%s.\n", v->name,
		v->operand ? " " : "", v->operand ? v->operand : "",
		toupper((unsigned char)v->help[0]), v->help + 1);
	for (i = 0; i < tool_n_option; i++)
		if (tool_option_is_of(&tool_option_row[i], verb))
			print_man_option(&tool_option_row[i]);
}

static void print_man_ends(void)
{
	int i;

	printf(".SH \"KINDS OF OUTPUT\"\n");
	for (i = 0; i < TOOL_N_EMIT; i++)
		print_item(tool_emit_row[i].name, tool_emit_row[i].help);
	printf(".SH \"EXIT STATUS\"\n");
	for (i = 0; i < N_EXIT; i++)
		print_item(exits[i].code, exits[i].help);
	printf(".SH ENVIRONMENT\n");
	for (i = 0; i < N_VARIABLE; i++)
		print_item(variables[i].name, variables[i].help);
}

static void print_man(void)
{
	int verb;

	printf(".TH CETANE 1 \"\" \"cetane %s\" \"User Commands\"\n"
		".SH NAME\ncetane \\- compile tensor programs to GPU kernels\n"
		".SH SYNOPSIS\n.B cetane\n.I VERB\n.RI [ OPERAND ]\n"
		".RI [ OPTION ...]\n.SH DESCRIPTION\n"
		"A program in, fused and tiled kernels out, as PTX or machine "
		"code. The same\nkernels run on the CPU, with checks. A file "
		"\\- is standard input or output.\nAn argument "
		"\\fB@\\fIFILE\\fR stands for the arguments in\n\\fIFILE\\fR, "
		"parted by white space and quoted as in a shell.\n"
		".SH VERBS\n", CETANE_VERSION);
	for (verb = 0; verb < TOOL_N_VERB; verb++)
		print_man_verb((enum tool_verb)verb);
	print_man_ends();
}

/* ------------------------------------------------------------- selection */

bool tool_generate(const char *kind)
{
	if (!strcmp(kind, "man"))
		print_man();
	else if (!strcmp(kind, "bash"))
		tool_complete_bash();
	else if (!strcmp(kind, "zsh"))
		tool_complete_zsh();
	else if (!strcmp(kind, "fish"))
		tool_complete_fish();
	else
		return false;
	return true;
}

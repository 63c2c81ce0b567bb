/* --help: the rows of option.def as text of at most TOOL_WIDTH columns. */
#include <stdio.h>
#include <string.h>

#include "tools/lib/base/option.h"
#include "tools/tools.h"

/* Where the help of an option begins. */
enum { HELP_COLUMN = 30 };

/* Words are put behind each other from column "at" on, and further lines are
 * indented. A word longer than the line stands alone.
 */
void tool_print_wrapped(const char *text, int at, int indent)
{
	int len;

	for (; *text; text += len + (text[len] == ' ')) {
		len = (int)strcspn(text, " ");
		if (at > indent && at + 1 + len > TOOL_WIDTH) {
			printf("\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			at += printf(" ");
		}
		at += printf("%.*s", len, text);
	}
	printf("\n");
}

/* An option that is longer than its column has its help on the next line. */
static void print_option(const struct tool_option_row *p)
{
	char left[64];
	int n;

	n = snprintf(left, sizeof(left), "  %c%c%s--%s%s%s",
		p->letter ? '-' : ' ', p->letter ? p->letter : ' ',
		p->letter ? ", " : "  ", p->name, p->argument ? "=" : "",
		p->argument ? p->argument : "");
	printf("%-*s", HELP_COLUMN, left);
	tool_print_wrapped(p->help, n < HELP_COLUMN ? HELP_COLUMN : TOOL_WIDTH,
		HELP_COLUMN);
}

/* Only for "build". */
static void print_kinds(void)
{
	const struct tool_emit_row *e;
	int i;

	printf("\nKinds of output:\n");
	for (i = 0; i < TOOL_N_EMIT; i++) {
		e = &tool_emit_row[i];
		printf("  %-10s  *%-14s  ", e->name, e->suffix);
		tool_print_wrapped(e->help, HELP_COLUMN, HELP_COLUMN);
	}
	printf("\nOne kind of text goes to standard output unless -o says "
		"otherwise; a cubin\nand several kinds go to files named "
		"after FILE in the current folder.\n");
}

/* The names that --arch takes, those of products in order of their chips.
 *
 * Targets and products are those of the back end's tables.
 */
static void print_archs(void)
{
	const struct nvptx_product *p;
	struct poly_str text = { 0 };
	int i;

	for (i = 0; nvptx_target_at(i); i++)
		poly_str_printf(&text, "%s%s", i ? " " : "",
			nvptx_target_at(i)->name);
	printf("\nArchitectures:\n  ");
	tool_print_wrapped(text.s ? text.s : "", 2, 2);
	poly_str_free(&text);
	printf("\nFamilies:\n");
	for (i = 0; (p = nvptx_product_at(i)); i++)
		if (p->is_family)
			printf("  %-10s  %s\n", p->name, p->archs);
	for (i = 0; (p = nvptx_product_at(i)); i++)
		if (!p->is_family)
			poly_str_printf(&text, "%s%s", text.len ? " " : "",
				p->name);
	printf("\nGPUs:\n  ");
	tool_print_wrapped(text.s ? text.s : "", 2, 2);
	poly_str_free(&text);
}

/* In which notations programs are.
 *
 * By the table of notations: name, suffix, what it is.
 */
static void print_notations(void)
{
	const struct fe_notation *n;
	int i, at;

	printf("\nNotations:\n");
	for (i = 0; (n = fe_notation_at(i)); i++) {
		at = printf("  %-12s %-6s ", n->name, n->suffix ? n->suffix : "");
		tool_print_wrapped(n->help, at, at);
	}
}

/* What a case may say.
 *
 * Only for "test".
 */
static void print_cases(void)
{
	printf("\nA case is a comment, with its lines right behind it:\n\n"
		"  # test: M=3 N=4          sizes, and options of run; verified "
		"as run does\n"
		"  # random: 7              the seed of the inputs\n"
		"  # input: X = [[1, 2]]    values, or a .npy file beside the "
		"program\n"
		"  # output: Y = y.npy      what must come out: values, a file, "
		"another output\n"
		"  # error: REGEX           the case fails with a message that "
		"matches\n");
}

/* An operand is optional unless it is a FILE, or an action of "cache"; "bench" and "tune"
 * do without one, too.
 * Those of "benchcmp" are no programs, those of "fmt" not in all notations.
 */
void tool_print_verb_help(enum tool_verb verb)
{
	const struct tool_verb_row *v = &tool_verb_row[verb];
	bool file = v->operand && !strncmp(v->operand, "FILE", 4);
	bool needed = verb == TOOL_CACHE ||
		(file && verb != TOOL_TUNE && verb != TOOL_BENCH);
	struct poly_str text = { 0 };
	int i;

	printf("Usage: cetane %s%s%s%s [OPTION...]\n", v->name,
		!v->operand ? "" : needed ? " " : " [",
		v->operand ? v->operand : "",
		v->operand && !needed ? "]" : "");
	/* The help begins with a small letter in the table, as it is shown in a
	 * list.
	 */
	poly_str_printf(&text, "%c%s.", v->help[0] - 'a' + 'A', v->help + 1);
	printf("\n");
	tool_print_wrapped(text.s ? text.s : v->help, 0, 0);
	poly_str_free(&text);
	if (v->operand && !strcmp(v->operand, "FILE"))
		printf("FILE may be -, standard input.\n");
	if (file && verb != TOOL_BENCHCMP && verb != TOOL_FMT)
		print_notations();
	if (verb == TOOL_TEST)
		print_cases();
	printf("\n");
	for (i = 0; i < tool_n_option; i++)
		if (tool_option_is_of(&tool_option_row[i], verb))
			print_option(&tool_option_row[i]);
	if (verb == TOOL_BUILD)
		print_kinds();
	if (verb == TOOL_BUILD)
		print_archs();
}

/* The words of $CETANE_DEBUG.
 *
 * From debug.def. A word with a number is shown with "%d".
 */
static void print_debug(void)
{
	int i, n;

	printf("\nCETANE_DEBUG=WORD,.. forces what the compiler chooses by "
		"itself:\n");
	for (i = 0; i < TOOL_N_DEBUG; i++) {
		n = printf("  %s  ", tool_debug_row[i].word);
		n += printf("%*s", 14 - n, "");
		tool_print_wrapped(tool_debug_row[i].help, n, n);
	}
}

/* All verbs, what holds for all of them, and the exit codes. */
void tool_print_help(void)
{
	int i, at;

	printf("Usage: cetane VERB [OPERAND] [OPTION...]\n\n");
	for (i = 0; i < TOOL_N_VERB; i++) {
		at = printf("  %-8s  %-7s ", tool_verb_row[i].name,
			tool_verb_row[i].operand ? tool_verb_row[i].operand :
			"");
		tool_print_wrapped(tool_verb_row[i].help, at, at);
	}
	printf("\n\"cetane help VERB\" lists the options of a verb, "
		"\"cetane --version --verbose\"\nthe versions of what is "
		"used. An argument @FILE stands for the arguments in\n"
		"FILE, parted by white space and quoted as in a shell.\n\n"
		"Exit codes: 0 done, 1 the input is wrong, 2 usage, "
		"3 environment (files, driver,\nassembler, device), 4 a limit "
		"was reached, 5 verification failed, 70 internal\nerror.\n");
	print_debug();
}

/* "help" alone is --help; behind a verb it is that verb's. */
enum tool_exit tool_help(struct tool_options *o)
{
	enum tool_exit status = TOOL_OK;
	enum tool_verb verb;

	if (!o->file) {
		tool_print_help();
		return TOOL_OK;
	}
	status = tool_verb_find(o->file, &verb);
	if (status == TOOL_OK)
		tool_print_verb_help(verb);
	return status;
}

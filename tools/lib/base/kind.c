/* What an input is, going by its name: a program in one of the notations, the text
 * of a stage, or what a build has made.
 */
#include "tools/lib/base/base.h"

/* Suffixes of what no front end reads. A name with another suffix is taken for
 * a program.
 */
static const struct {
	const char *suffix;
	const char *what;
	const char *from;	/* the word of --from; NULL: nothing compiles it */
} kinds[] = {
	{ ".poly", "a program of polyhedral IR", "poly" },
	{ ".ll", "LLVM IR", "llvm" },
	{ ".ptx", "PTX", NULL },
	{ ".cubin", "machine code", NULL },
	{ ".fatbin", "machine code", NULL },
	{ ".o", "an object", NULL },
};

/* With --from the caller has said what it is, and the name tells nothing. The
 * message names the --from that is right, or says that nothing compiles such a
 * file.
 */
bool tool_is_program(const struct tool_options *o, const char *name,
	struct poly_report *report)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!o->from_name && tool_ends_with(name, kinds[i].suffix))
			break;
	if (i == sizeof(kinds) / sizeof(kinds[0]))
		return true;
	if (kinds[i].from)
		poly_report_add(report, MSG_USAGE_FROM, NULL, kinds[i].what,
			kinds[i].from);
	else
		poly_report_add(report, MSG_USAGE_ARTIFACT, NULL,
			kinds[i].what);
	return false;
}

/* Without a file, or with another stage's text, there is no notation. */
const struct fe_notation *tool_notation(const struct tool_options *o)
{
	return o->from == TOOL_FROM_DSL && o->file ? fe_notation_of(o->file) :
		NULL;
}

/* Notations that a preprocessor expands take -D for macros as well. */
bool tool_has_macros(const struct tool_options *o)
{
	const struct fe_notation *n = tool_notation(o);

	return n && n->expanded;
}

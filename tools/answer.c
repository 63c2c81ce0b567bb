/* The command line: files of arguments, then what needs no verb, then a verb
 * and its options (lib/base/option.c).
 */
#include <string.h>
#include <unistd.h>

#include "tools/tools.h"

/* --generate=KIND, which the build uses; in no help. */
static enum tool_exit generate(const char *kind)
{
	if (tool_choose("generate", kind) < 0 || !tool_generate(kind))
		return TOOL_USAGE;
	return TOOL_OK;
}

/* Options that stand in for a verb; "done" is set if "o" holds one of them. */
static enum tool_exit answer_top(const struct tool_options *o, bool *done)
{
	const char *word = o->args.item[1];
	const char *next = o->args.n > 2 ? o->args.item[2] : "";

	*done = true;
	if (!strncmp(word, "--generate=", 11))
		return generate(word + 11);
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return tool_print_version(!strcmp(next, "--verbose") ||
			!strcmp(next, "-v"));
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		tool_print_help();
	else
		*done = false;
	return TOOL_OK;
}

/* --help and --version behind a verb; "done" is set if "o" holds one of them. */
static enum tool_exit answer_verb(const struct tool_options *o, bool *done)
{
	*done = o->help || o->version;
	if (o->help)
		tool_print_verb_help(o->verb);
	else if (o->version && o->verb == TOOL_CONFIG)
		*done = false;
	else if (o->version)
		return tool_print_version(o->verbose);
	return TOOL_OK;
}

enum tool_exit tool_options_parse(struct tool_options *o, int argc,
	char **argv, bool *done)
{
	enum tool_exit status;

	tool_options_init(o);
	tool_print_messages(o);
	o->log = STDERR_FILENO;
	*done = false;
	status = tool_args_expand(&o->args, &o->arg_files, argc, argv);
	if (status != TOOL_OK)
		return status;
	if (o->args.n < 2)
		return tool_bad_operand("no verb given; see cetane --help");
	status = answer_top(o, done);
	if (*done)
		return status;
	status = tool_options_read(o);
	if (status != TOOL_OK)
		return status;
	status = answer_verb(o, done);
	return *done ? status : tool_options_check(o);
}

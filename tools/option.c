/* The command line: everything that option.def says, and nothing else.
 *
 * GNU conventions: "--name=value" or "--name value", "-oVALUE" or "-o VALUE",
 * options and the file in any order, "--" ends the options, "-" is a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/suggest.h"
#include "tools/tools.h"

enum kind { FLAG, TEXT, LIST, COUNT, BYTES, SECONDS };

enum {
	BUILD = 1 << TOOL_BUILD,
	CHECK = 1 << TOOL_CHECK,
	RUN = 1 << TOOL_RUN
};

struct option {
	unsigned verbs;
	char letter;
	const char *name;
	enum kind kind;
	size_t offset;
	const char *argument;
	const char *help;
};

static const struct {
	const char *name, *synopsis, *help;
} verbs[] = {
#define VERB(id, name, synopsis, help) { name, synopsis, help },
#define EMIT(id, name, suffix, stage, help)
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/option.def"
#undef VERB
#undef EMIT
#undef OPTION
};

static const struct {
	const char *name, *suffix, *help;
} emits[] = {
#define VERB(id, name, synopsis, help)
#define EMIT(id, name, suffix, stage, help) { name, suffix, help },
#define OPTION(verbs, letter, name, kind, field, argument, help)
#include "tools/option.def"
#undef VERB
#undef EMIT
#undef OPTION
};

static const struct option options[] = {
#define VERB(id, name, synopsis, help)
#define EMIT(id, name, suffix, stage, help)
#define OPTION(verbs, letter, name, kind, field, argument, help)	\
	{ verbs, letter, name, kind,					\
	  offsetof(struct tool_options, field), argument, help },
#include "tools/option.def"
#undef VERB
#undef EMIT
#undef OPTION
};

enum { N_OPTION = sizeof(options) / sizeof(options[0]) };

static const char *const from_names[] = { "dsl", "poly", "llvm" };
static const char *const map_names[] = { "tiled", "naive" };
static const char *const verify_names[] = { "auto", "full", "sample",
					    "interp", "none" };

const char *tool_emit_name(enum tool_emit kind)
{
	return emits[kind].name;
}

const char *tool_emit_suffix(enum tool_emit kind)
{
	return emits[kind].suffix;
}

/* ------------------------------------------------------------------ help */

enum { HELP_COLUMN = 30, HELP_WIDTH = 79 };

/* Print "text" from column "at" on, words wrapped under HELP_COLUMN. */
static void print_wrapped(const char *text, int at)
{
	int len;

	for (; *text; text += len + (text[len] == ' ')) {
		len = (int)strcspn(text, " ");
		if (at + 1 + len > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		} else if (at > HELP_COLUMN) {
			at += printf(" ");
		}
		at += printf("%.*s", len, text);
	}
	printf("\n");
}

static void print_option(const struct option *p)
{
	char left[64];
	int n;

	n = snprintf(left, sizeof(left), "  %c%c%s--%s%s%s",
		p->letter ? '-' : ' ', p->letter ? p->letter : ' ',
		p->letter ? ", " : "  ", p->name, p->argument ? "=" : "",
		p->argument ? p->argument : "");
	printf("%-*s", HELP_COLUMN, left);
	print_wrapped(p->help, n < HELP_COLUMN ? HELP_COLUMN : HELP_WIDTH);
}

static void print_kinds(void)
{
	int i;

	printf("\nKinds of output:\n");
	for (i = 0; i < TOOL_N_EMIT; i++) {
		printf("  %-10s  *%-14s  ", emits[i].name, emits[i].suffix);
		print_wrapped(emits[i].help, HELP_COLUMN);
	}
	printf("\nOne kind of text goes to standard output unless -o says "
		"otherwise; a cubin\nand several kinds go to files named "
		"after FILE in the current folder.\n");
}

static void print_verb_help(enum tool_verb verb)
{
	int i;

	printf("Usage: cetane %s %s\n", verbs[verb].name,
		verbs[verb].synopsis);
	printf("\n%c%s.\nFILE may be -, standard input.\n\n",
		verbs[verb].help[0] - 'a' + 'A', verbs[verb].help + 1);
	for (i = 0; i < N_OPTION; i++)
		if (options[i].verbs & (1u << verb))
			print_option(&options[i]);
	if (verb == TOOL_BUILD)
		print_kinds();
}

static void print_help(void)
{
	int i;

	printf("Usage: cetane VERB FILE [OPTION...]\n\n");
	for (i = 0; i < TOOL_N_VERB; i++)
		printf("  %-8s%s\n", verbs[i].name, verbs[i].help);
	printf("\n\"cetane VERB --help\" lists the options of a verb.\n\n"
		"Exit codes: 0 done, 1 the input is wrong, 2 usage, "
		"3 environment (files, driver,\nassembler, device), 4 a limit "
		"was reached, 5 verification failed, 70 internal\nerror.\n");
}

/* --------------------------------------------------------------- lookups */

static const struct option *find_long(enum tool_verb verb, const char *name,
	size_t len)
{
	int i;

	for (i = 0; i < N_OPTION; i++)
		if ((options[i].verbs & (1u << verb)) &&
		    strlen(options[i].name) == len &&
		    !memcmp(options[i].name, name, len))
			return &options[i];
	return NULL;
}

static const struct option *find_short(enum tool_verb verb, char letter)
{
	int i;

	for (i = 0; i < N_OPTION; i++)
		if ((options[i].verbs & (1u << verb)) &&
		    options[i].letter == letter)
			return &options[i];
	return NULL;
}

static enum tool_exit unknown_option(enum tool_verb verb, const char *arg)
{
	const char *best = NULL;
	struct tool_suggest s = tool_suggest_begin(arg, strcspn(arg, "="));
	char name[64];
	int i;

	for (i = 0; i < N_OPTION; i++) {
		if (!(options[i].verbs & (1u << verb)))
			continue;
		snprintf(name, sizeof(name), "--%s", options[i].name);
		if (tool_suggest_try(&s, name))
			best = options[i].name;
	}
	tool_message(MSG_USAGE_OPTION, arg, best ? "; did you mean --" : "",
		best ? best : "");
	return TOOL_USAGE;
}

/* The index of "value" among "n" names, or -1 with a message. */
static int choose(const char *option, const char *value,
	const char *const *names, int n)
{
	struct tool_suggest s = tool_suggest_begin(value, strlen(value));
	struct poly_str all = { 0 };
	const char *best = NULL;
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(value, names[i]))
			return i;
	for (i = 0; i < n; i++) {
		if (tool_suggest_try(&s, names[i]))
			best = names[i];
		poly_str_printf(&all, "%s%s",
			i == 0 ? "" : i == n - 1 ? " or " : ", ", names[i]);
	}
	tool_message(MSG_USAGE_VALUE, option, all.s ? all.s : "", value,
		best ? "; did you mean " : "", best ? best : "");
	poly_str_free(&all);
	return -1;
}

static bool bad_value(const char *option, const char *what, const char *value)
{
	tool_message(MSG_USAGE_VALUE, option, what, value, "", "");
	return false;
}

/* --------------------------------------------------------------- storing */

static bool add_item(struct tool_list *list, const char *item)
{
	const char **more;

	more = realloc(list->item, (size_t)(list->n + 1) * sizeof(*more));
	if (!more) {
		tool_message(MSG_NO_MEMORY, "the command line");
		return false;
	}
	list->item = more;
	list->item[list->n++] = item;
	return true;
}

/* A decimal number in [0, 2^63), with "*end" behind it. */
static bool read_count(const char *text, int64_t *value, char **end)
{
	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	*value = strtoll(text, end, 10);
	return errno == 0;
}

static bool read_bytes(const char *text, int64_t *value)
{
	static const char unit[] = "KMGT";
	const char *u;
	char *end;
	int shift = 0;

	if (!read_count(text, value, &end))
		return false;
	if (*end && (u = strchr(unit, *end))) {
		shift = 10 * (int)(u - unit + 1);
		end++;
	}
	if (*end || *value > INT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

static bool read_seconds(const char *text, double *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*value = strtod(text, &end);
	return !*end && *value <= 1e9;
}

static bool store(struct tool_options *o, const struct option *p,
	const char *value)
{
	char *field = (char *)o + p->offset;
	char *end = NULL;

	switch (p->kind) {
	case FLAG:
		*(bool *)(void *)field = true;
		return true;
	case TEXT:
		*(const char **)(void *)field = value;
		return true;
	case LIST:
		return add_item((struct tool_list *)(void *)field, value);
	case COUNT:
		if (!read_count(value, (int64_t *)(void *)field, &end) || *end)
			return bad_value(p->name, "a number", value);
		return true;
	case BYTES:
		if (!read_bytes(value, (int64_t *)(void *)field))
			return bad_value(p->name, "bytes such as 512M", value);
		return true;
	case SECONDS:
		if (!read_seconds(value, (double *)(void *)field))
			return bad_value(p->name, "seconds", value);
		return true;
	}
	return false;
}

/* -------------------------------------------------------------- checking */

static bool parse_emit_kind(struct tool_options *o, const char *kind)
{
	const char *names[TOOL_N_EMIT];
	int i;

	for (i = 0; i < TOOL_N_EMIT; i++)
		names[i] = emits[i].name;
	i = choose("emit", kind, names, TOOL_N_EMIT);
	if (i < 0)
		return false;
	if (!(o->emit & (1u << i)))
		o->order[o->n_order++] = (enum tool_emit)i;
	o->emit |= 1u << i;
	return true;
}

static bool parse_emit(struct tool_options *o)
{
	bool ok = true;
	char *copy, *kind, *save;
	int i;

	if (o->emit_list.n == 0)
		return parse_emit_kind(o, o->stop_after ? "poly" : "ptx");
	for (i = 0; i < o->emit_list.n && ok; i++) {
		copy = strdup(o->emit_list.item[i]);
		if (!copy)
			return false;
		kind = strtok_r(copy, ",", &save);
		if (!kind)
			ok = parse_emit_kind(o, "");
		for (; kind && ok; kind = strtok_r(NULL, ",", &save))
			ok = parse_emit_kind(o, kind);
		free(copy);
	}
	return ok;
}

/* "NAME=VALUE". The front end judges names and the range; a text that is no
 * number at all is a matter of usage.
 */
static bool parse_define(struct tool_options *o, const char *text)
{
	const char *eq = strchr(text, '=');
	struct fe_define *more;
	char *end, *name;
	long long value;

	if (!eq || eq == text || !eq[1])
		return bad_value("define", "NAME=NUMBER", text);
	errno = 0;
	value = strtoll(eq + 1, &end, 10);
	if (*end || errno || strchr(" \t\n\v\f\r+", eq[1]))
		return bad_value("define", "NAME=NUMBER", text);
	more = realloc(o->define, (size_t)(o->n_define + 1) * sizeof(*more));
	name = more ? strndup(text, (size_t)(eq - text)) : NULL;
	if (more)
		o->define = more;
	if (!name)
		return false;
	o->define[o->n_define++] = (struct fe_define){ name, value };
	return true;
}

static bool parse_arch(struct tool_options *o)
{
	const char *names[64];
	int n = 0;

	if (!o->arch)
		return true;
	while (n < 64 && nvptx_target_at(n)) {
		names[n] = nvptx_target_at(n)->name;
		n++;
	}
	n = choose("arch", o->arch, names, n);
	if (n < 0)
		return false;
	o->target = nvptx_target_at(n);
	return true;
}

static bool conflict(const char *text)
{
	tool_message(MSG_USAGE_CONFLICT, text);
	return false;
}

/* Combinations that make no sense. */
static bool check_conflicts(struct tool_options *o)
{
	unsigned before_llvm = (1u << TOOL_EMIT_LLVM) - 1;
	unsigned before_poly = (1u << TOOL_EMIT_SCHEDULE) - 1;

	if (o->from == TOOL_FROM_LLVM && (o->emit & before_llvm))
		return conflict("--from=llvm comes too late for that --emit");
	if (o->from == TOOL_FROM_POLY && (o->emit & before_poly))
		return conflict("--from=poly comes too late for that --emit");
	if (o->stop_after && (o->emit & ~before_llvm))
		return conflict("--stop-after leaves nothing to lower");
	if (o->from != TOOL_FROM_DSL && o->n_define)
		return conflict("-D goes with --from=dsl only; sizes are fixed "
			"in the program when it is lowered");
	if (strcmp(o->device, "host") && strcmp(o->device, "cuda") &&
	    strncmp(o->device, "cuda:", 5))
		return bad_value("device", "host, cuda or cuda:N", o->device);
	if (o->checks && strcmp(o->device, "host"))
		return conflict("--checks needs --device=host");
	return true;
}

static bool check_values(struct tool_options *o)
{
	int from, map, verify, i;

	from = choose("from", o->from_name, from_names, 3);
	map = from < 0 ? -1 : choose("map", o->map_name, map_names, 2);
	verify = map < 0 ? -1 :
		choose("verify", o->verify_name, verify_names, 5);
	if (verify < 0 || !parse_emit(o) || !parse_arch(o))
		return false;
	for (i = 0; i < o->define_list.n; i++)
		if (!parse_define(o, o->define_list.item[i]))
			return false;
	o->from = (enum tool_from)from;
	o->mapping = map == 1 ? POLY_MAP_NAIVE : POLY_MAP_TILED;
	o->verify = o->no_verify ? TOOL_VERIFY_NONE : (enum tool_verify)verify;
	return check_conflicts(o);
}

/* --------------------------------------------------------------- parsing */

/* Handle the option at argv[*i]; advances "*i" over a separate value. */
static enum tool_exit parse_option(struct tool_options *o, int *i)
{
	const char *arg = o->argv[*i], *value = NULL;
	bool is_long = arg[1] == '-';
	size_t len = strcspn(arg, "=");
	const struct option *p;

	if (is_long && arg[len] == '=')
		value = arg + len + 1;
	else if (!is_long && arg[2])
		value = arg + 2;
	p = is_long ? find_long(o->verb, arg + 2, len - 2) :
		find_short(o->verb, arg[1]);
	if (!p)
		return unknown_option(o->verb, arg);
	if (p->kind == FLAG && value) {
		tool_message(MSG_USAGE_ARGUMENT, p->name);
		return TOOL_USAGE;
	}
	if (p->kind != FLAG && !value)
		value = o->argv[*i + 1] ? o->argv[++*i] : NULL;
	if (p->kind != FLAG && !value) {
		tool_message(MSG_USAGE_MISSING, p->name, p->argument);
		return TOOL_USAGE;
	}
	return store(o, p, value) ? TOOL_OK : TOOL_USAGE;
}

static enum tool_exit parse_arguments(struct tool_options *o)
{
	bool only_files = false;
	enum tool_exit status;
	const char *arg;
	int i;

	for (i = 2; i < o->argc; i++) {
		arg = o->argv[i];
		if (!only_files && !strcmp(arg, "--")) {
			only_files = true;
		} else if (!only_files && arg[0] == '-' && arg[1]) {
			status = parse_option(o, &i);
			if (status != TOOL_OK)
				return status;
		} else if (o->file) {
			tool_message(MSG_USAGE_FILE, "more than one file");
			return TOOL_USAGE;
		} else {
			o->file = arg;
		}
	}
	return TOOL_OK;
}

static enum tool_exit find_verb(struct tool_options *o, const char *name)
{
	struct tool_suggest s = tool_suggest_begin(name, strlen(name));
	const char *best = NULL;
	int i;

	for (i = 0; i < TOOL_N_VERB; i++) {
		if (!strcmp(name, verbs[i].name)) {
			o->verb = (enum tool_verb)i;
			return TOOL_OK;
		}
		if (tool_suggest_try(&s, verbs[i].name))
			best = verbs[i].name;
	}
	tool_message(MSG_USAGE_VERB, name, best ? "; did you mean " : "",
		best ? best : "");
	return TOOL_USAGE;
}

/* Options that stand in for a verb. */
static bool answer_top(const char *word)
{
	if (!strcmp(word, "--version")) {
		printf("cetane %s\n", CETANE_VERSION);
		return true;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_help();
		return true;
	}
	return false;
}

enum tool_exit tool_options_parse(struct tool_options *o, int argc,
	char **argv, bool *done)
{
	enum tool_exit status;

	*o = (struct tool_options){ .argc = argc, .argv = argv,
		.map_name = "tiled", .from_name = "dsl", .device = "host",
		.verify_name = "auto", .crash_dir = ".", .seed = 1,
		.memory_limit = INT64_C(8) << 30, .time_limit = 60 };
	*done = argc > 1 && answer_top(argv[1]);
	if (*done)
		return TOOL_OK;
	if (argc < 2) {
		tool_message(MSG_USAGE_FILE, "no verb given; see cetane --help");
		return TOOL_USAGE;
	}
	status = find_verb(o, argv[1]);
	if (status == TOOL_OK)
		status = parse_arguments(o);
	if (status != TOOL_OK)
		return status;
	*done = o->help || o->version;
	if (o->help)
		print_verb_help(o->verb);
	else if (o->version)
		answer_top("--version");
	if (*done)
		return TOOL_OK;
	if (!o->file) {
		tool_message(MSG_USAGE_FILE, "no file given");
		return TOOL_USAGE;
	}
	return check_values(o) ? TOOL_OK : TOOL_USAGE;
}

void tool_options_free(struct tool_options *o)
{
	int i;

	for (i = 0; i < o->n_define; i++)
		free((char *)(uintptr_t)o->define[i].name);
	free(o->define);
	free(o->emit_list.item);
	free(o->define_list.item);
	free(o->input_list.item);
	free(o->output_list.item);
	*o = (struct tool_options){ 0 };
}

/* A verb and its options as option.def has them: reading (option_check.c judges).
 *
 * GNU conventions: "--name=value" or "--name value", "-oVALUE" or "-o VALUE",
 * options and the file in any order, "--" ends the options, "-" is a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/option.h"

/* ----------------------------------------------------------------- words */

static enum tool_exit no_memory(void)
{
	return tool_no_memory("the command line");
}

enum tool_exit tool_args_add(struct tool_args *args, const char *word)
{
	char **more;

	if (args->n + 1 >= args->cap) {
		args->cap = args->cap ? 2 * args->cap : 32;
		more = realloc(args->item,
			(size_t)args->cap * sizeof(*more));
		if (!more)
			return no_memory();
		args->item = more;
	}
	args->item[args->n] = strdup(word);
	if (!args->item[args->n])
		return no_memory();
	args->item[++args->n] = NULL;
	return TOOL_OK;
}

void tool_args_free(struct tool_args *args)
{
	int i;

	for (i = 0; i < args->n; i++)
		free(args->item[i]);
	free(args->item);
	*args = (struct tool_args){ 0 };
}

/* --------------------------------------------------------------- lookups */

/* The option of the verb that has this name: of two, the one without a value, unless
 * the command line "has" one behind a sign of equality.
 */
static const struct tool_option_row *find_long(enum tool_verb verb,
	const char *name, size_t len, bool has)
{
	const struct tool_option_row *found = NULL;
	int i;

	for (i = 0; i < tool_n_option; i++)
		if (tool_option_is_of(&tool_option_row[i], verb) &&
		    strlen(tool_option_row[i].name) == len &&
		    !memcmp(tool_option_row[i].name, name, len) &&
		    (!found || (tool_option_row[i].kind == TOOL_FLAG) != has))
			found = &tool_option_row[i];
	return found;
}

/* The option of the verb that has this letter, or NULL. */
static const struct tool_option_row *find_short(enum tool_verb verb,
	char letter)
{
	int i;

	for (i = 0; i < tool_n_option; i++)
		if (tool_option_is_of(&tool_option_row[i], verb) &&
		    tool_option_row[i].letter == letter)
			return &tool_option_row[i];
	return NULL;
}

/* Report that the verb has no such option, and the most similar one that it
 * has.
 */
static enum tool_exit unknown_option(enum tool_verb verb, const char *arg)
{
	const char *best = NULL;
	struct fe_suggest s = fe_suggest_begin(arg, strcspn(arg, "="));
	char name[64];
	int i;

	for (i = 0; i < tool_n_option; i++) {
		if (!tool_option_is_of(&tool_option_row[i], verb))
			continue;
		snprintf(name, sizeof(name), "--%s", tool_option_row[i].name);
		if (fe_suggest_try(&s, name))
			best = tool_option_row[i].name;
	}
	tool_message(MSG_USAGE_OPTION, arg, best ? "; did you mean --" : "",
		best ? best : "");
	return TOOL_USAGE;
}

int tool_choose(const char *option, const char *value)
{
	struct fe_suggest s = fe_suggest_begin(value, strlen(value));
	const char *word[TOOL_CHOICE_MOST], *best = NULL;
	int n = tool_option_choices(option, word);
	struct poly_str all = { 0 };
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(value, word[i]))
			return i;
	for (i = 0; i < n; i++) {
		if (fe_suggest_try(&s, word[i]))
			best = word[i];
		poly_str_printf(&all, "%s%s",
			i == 0 ? "" : i == n - 1 ? " or " : ", ", word[i]);
	}
	tool_message(MSG_USAGE_VALUE, option, all.s ? all.s : "", value,
		best ? "; did you mean " : "", best ? best : "");
	poly_str_free(&all);
	return -1;
}

bool tool_option_bad(const char *option, const char *what, const char *value)
{
	tool_message(MSG_USAGE_VALUE, option, what, value, "", "");
	return false;
}

/* --------------------------------------------------------------- storing */

bool tool_option_no_memory(struct tool_options *o)
{
	o->no_memory = true;
	no_memory();
	return false;
}

/* What to return for an option that was refused, with a message. */
static enum tool_exit refused(const struct tool_options *o)
{
	return o->no_memory ? TOOL_ENVIRONMENT : TOOL_USAGE;
}

/* Append "item", which is not copied, to an option that may stand several
 * times.
 */
static bool add_item(struct tool_options *o, struct tool_list *list,
	const char *item)
{
	const char **more;

	more = realloc(list->item, (size_t)(list->n + 1) * sizeof(*more));
	if (!more)
		return tool_option_no_memory(o);
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

/* Bytes, such as 512M, where K, M, G and T are powers of 1024; false if it is
 * no number or does not fit.
 */
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

/* Seconds, with or without a fraction, up to 1e9. */
static bool read_seconds(const char *text, double *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*value = strtod(text, &end);
	return !*end && *value <= 1e9;
}

/* A number of percent, with or without a sign, which means nothing, and "%". */
static bool read_percent(const char *text, double *value)
{
	char number[32];
	size_t len;

	text += *text == '-' || *text == '+';
	len = strlen(text);
	if (len && text[len - 1] == '%')
		len--;
	return snprintf(number, sizeof(number), "%.*s", (int)len, text) <
		(int)sizeof(number) && read_seconds(number, value);
}

/* Store the value of the option "p" in its field of "o", as its kind says;
 * false, having reported. TOOL_FLAG has no value.
 */
static bool store(struct tool_options *o, const struct tool_option_row *p,
	const char *value)
{
	char *field = (char *)o + p->offset;
	char *end = NULL;

	switch (p->kind) {
	case TOOL_FLAG:
		*(bool *)(void *)field = true;
		return true;
	case TOOL_TEXT:
		*(const char **)(void *)field = value;
		return true;
	case TOOL_LIST:
		return add_item(o, (struct tool_list *)(void *)field, value);
	case TOOL_COUNT:
		if (!read_count(value, (int64_t *)(void *)field, &end) || *end)
			return tool_option_bad(p->name, "a number", value);
		return true;
	case TOOL_BYTES:
		if (!read_bytes(value, (int64_t *)(void *)field))
			return tool_option_bad(p->name, "bytes such as 512M", value);
		return true;
	case TOOL_SECONDS:
		if (!read_seconds(value, (double *)(void *)field))
			return tool_option_bad(p->name, "seconds", value);
		return true;
	case TOOL_PERCENT:
		if (!read_percent(value, (double *)(void *)field))
			return tool_option_bad(p->name,
				"percent such as 3 or -3%", value);
		return true;
	}
	return false;
}

/* --------------------------------------------------------------- parsing */

/* At once, so that the messages that follow obey. */
static bool parse_looks(struct tool_options *o)
{
	int color = tool_choose("color", o->color_name);
	int format = color < 0 ? -1 : tool_choose("format", o->format_name);

	if (color >= 0)
		o->color = (enum tool_color)color;
	if (format >= 0)
		o->format = (enum tool_format)format;
	return format >= 0;
}

/* Handle argument "*i", an option; advances "*i" over a separate value. */
static enum tool_exit parse_option(struct tool_options *o, int *i)
{
	const char *arg = o->args.item[*i], *value = NULL;
	bool is_long = arg[1] == '-';
	size_t len = strcspn(arg, "=");
	const struct tool_option_row *p;

	if (is_long && arg[len] == '=')
		value = arg + len + 1;
	else if (!is_long && arg[2])
		value = arg + 2;
	p = is_long ? find_long(o->verb, arg + 2, len - 2, value) :
		find_short(o->verb, arg[1]);
	if (!p)
		return unknown_option(o->verb, arg);
	if (p->kind == TOOL_FLAG && value) {
		tool_message(MSG_USAGE_ARGUMENT, p->name);
		return TOOL_USAGE;
	}
	if (p->kind != TOOL_FLAG && !value)
		value = o->args.item[*i + 1] ? o->args.item[++*i] : NULL;
	if (p->kind != TOOL_FLAG && !value) {
		tool_message(MSG_USAGE_MISSING, p->name, p->argument);
		return TOOL_USAGE;
	}
	if (!store(o, p, value))
		return refused(o);
	return parse_looks(o) ? TOOL_OK : TOOL_USAGE;
}

enum tool_exit tool_bad_operand(const char *text)
{
	tool_message(MSG_USAGE_FILE, text);
	return TOOL_USAGE;
}

/* "arg" stands where the verb's operand does. */
static enum tool_exit parse_operand(struct tool_options *o, const char *arg)
{
	const char *operand = tool_verb_row[o->verb].operand;

	if (!operand)
		return tool_bad_operand("this verb takes options only");
	if (!strcmp(operand, "FILE...") && !add_item(o, &o->file_list, arg))
		return refused(o);
	if (o->file && !o->file_list.n)
		return tool_bad_operand(!strcmp(operand, "FILE") ?
			"more than one file" : !strcmp(operand, "CODE") ?
			"more than one code" : !strcmp(operand, "ACTION") ?
			"more than one action" : "more than one verb");
	if (!o->file)
		o->file = arg;
	return TOOL_OK;
}

/* --emit=runtime alone compiles nothing. */
static bool needs_no_file(const struct tool_options *o)
{
	return o->verb == TOOL_BUILD && o->emit_list.n == 1 &&
		!strcmp(o->emit_list.item[0], "runtime");
}

/* Without a file, a suite is measured or tuned; without a code or a verb, all are
 * listed.
 */
static bool may_lack_operand(const struct tool_options *o)
{
	return o->verb == TOOL_BENCH || o->verb == TOOL_TUNE || o->verb == TOOL_EXPLAIN ||
		o->verb == TOOL_HELP || needs_no_file(o);
}

/* Read all words behind the verb. "-" alone is a file, as is everything behind
 * "--".
 */
static enum tool_exit parse_arguments(struct tool_options *o)
{
	enum tool_exit status = TOOL_OK;
	bool only_files = false;
	const char *arg;
	int i;

	for (i = 2; i < o->args.n && status == TOOL_OK; i++) {
		arg = o->args.item[i];
		if (!only_files && !strcmp(arg, "--")) {
			only_files = true;
		} else if (!only_files && arg[0] == '-' && arg[1]) {
			status = parse_option(o, &i);
		} else {
			status = parse_operand(o, arg);
		}
	}
	return status;
}

/* A word that begins with a dash stands where the verb does. */
static enum tool_exit unknown_top(const char *name)
{
	static const char *const word[] = { "--help", "--version" };
	struct fe_suggest s = fe_suggest_begin(name, strcspn(name, "="));
	const char *best = NULL;
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (fe_suggest_try(&s, word[i]))
			best = word[i];
	tool_message(MSG_USAGE_OPTION, name, best ? "; did you mean " :
		" in front of the verb: options of a verb stand behind it",
		best ? best : "");
	return TOOL_USAGE;
}

enum tool_exit tool_verb_find(const char *name, enum tool_verb *verb)
{
	struct fe_suggest s = fe_suggest_begin(name, strlen(name));
	const char *best = NULL;
	int i;

	if (name[0] == '-')
		return unknown_top(name);
	for (i = 0; i < TOOL_N_VERB; i++) {
		if (!strcmp(name, tool_verb_row[i].name)) {
			*verb = (enum tool_verb)i;
			return TOOL_OK;
		}
		if (fe_suggest_try(&s, tool_verb_row[i].name))
			best = tool_verb_row[i].name;
	}
	tool_message(MSG_USAGE_VERB, name, best ? "; did you mean " : "",
		best ? best : "");
	return TOOL_USAGE;
}

void tool_options_init(struct tool_options *o)
{
	*o = (struct tool_options){ .map_name = "tiled",
		.host = nvptx_host_here(), .device = "host", .verify_name = "auto", .crash_dir = ".",
		.color_name = "auto", .format_name = "text", .semantics_name = "ieee", .log = -1,
		.seed = 1, .suite = "gemm", .tuning = "none", .gpu = "cuda",
		.regime_name = "plain", .repeat = 25, .within = -1,
		.fail_on = -1, .threshold = -1, .budget = 200, .versions = 1,
		.memory_limit = INT64_C(8) << 30, .time_limit = 60 };
}

enum tool_exit tool_options_read(struct tool_options *o)
{
	enum tool_exit status = tool_verb_find(o->args.item[1], &o->verb);

	return status == TOOL_OK ? parse_arguments(o) : status;
}

enum tool_exit tool_options_check(struct tool_options *o)
{
	bool has_operand = tool_verb_row[o->verb].operand != NULL;

	if (!tool_debug_check())
		return TOOL_USAGE;
	if (has_operand && !o->file && !may_lack_operand(o))
		return tool_bad_operand(o->verb == TOOL_CACHE ? "cache "
			"takes stat, prune, clear or verify" :
			"no file given");
	if (o->file && needs_no_file(o))
		return tool_bad_operand("--emit=runtime takes no file");
	return tool_options_judge(o) ? TOOL_OK : refused(o);
}

void tool_options_free(struct tool_options *o)
{
	int i;

	for (i = 0; i < o->n_define; i++)
		free((char *)(uintptr_t)o->define[i].name);
	free(o->define);
	tool_args_free(&o->args);
	tool_args_free(&o->arg_files);
	free(o->emit_list.item);
	free(o->define_list.item);
	free(o->sanitize_list.item);
	free(o->input_list.item);
	free(o->output_list.item);
	free(o->expect_list.item);
	free(o->device_list.item);
	free(o->file_list.item);
	free(o->prefix_list.item);
	free(o->include_list.item);
	free(o->extent_list.item);
	free(o->live_out_list.item);
	free(o->rival_list.item);
	*o = (struct tool_options){ 0 };
}

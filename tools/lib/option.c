/* A verb and its options: everything that option.def says, and nothing else.
 *
 * GNU conventions: "--name=value" or "--name value", "-oVALUE" or "-o VALUE",
 * options and the file in any order, "--" ends the options, "-" is a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/option.h"
#include "tools/lib/suggest.h"

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

static const struct tool_option_row *find_long(enum tool_verb verb,
	const char *name, size_t len)
{
	int i;

	for (i = 0; i < tool_n_option; i++)
		if (tool_option_is_of(&tool_option_row[i], verb) &&
		    strlen(tool_option_row[i].name) == len &&
		    !memcmp(tool_option_row[i].name, name, len))
			return &tool_option_row[i];
	return NULL;
}

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

static enum tool_exit unknown_option(enum tool_verb verb, const char *arg)
{
	const char *best = NULL;
	struct tool_suggest s = tool_suggest_begin(arg, strcspn(arg, "="));
	char name[64];
	int i;

	for (i = 0; i < tool_n_option; i++) {
		if (!tool_option_is_of(&tool_option_row[i], verb))
			continue;
		snprintf(name, sizeof(name), "--%s", tool_option_row[i].name);
		if (tool_suggest_try(&s, name))
			best = tool_option_row[i].name;
	}
	tool_message(MSG_USAGE_OPTION, arg, best ? "; did you mean --" : "",
		best ? best : "");
	return TOOL_USAGE;
}

int tool_choose(const char *option, const char *value)
{
	struct tool_suggest s = tool_suggest_begin(value, strlen(value));
	const char *word[TOOL_CHOICE_MOST], *best = NULL;
	int n = tool_option_choices(option, word);
	struct poly_str all = { 0 };
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(value, word[i]))
			return i;
	for (i = 0; i < n; i++) {
		if (tool_suggest_try(&s, word[i]))
			best = word[i];
		poly_str_printf(&all, "%s%s",
			i == 0 ? "" : i == n - 1 ? " or " : ", ", word[i]);
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

static bool out_of_memory(struct tool_options *o)
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

static bool add_item(struct tool_options *o, struct tool_list *list,
	const char *item)
{
	const char **more;

	more = realloc(list->item, (size_t)(list->n + 1) * sizeof(*more));
	if (!more)
		return out_of_memory(o);
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
			return bad_value(p->name, "a number", value);
		return true;
	case TOOL_BYTES:
		if (!read_bytes(value, (int64_t *)(void *)field))
			return bad_value(p->name, "bytes such as 512M", value);
		return true;
	case TOOL_SECONDS:
		if (!read_seconds(value, (double *)(void *)field))
			return bad_value(p->name, "seconds", value);
		return true;
	}
	return false;
}

/* -------------------------------------------------------------- checking */

static bool parse_emit_kind(struct tool_options *o, const char *kind)
{
	int i = tool_choose("emit", kind);

	if (i < 0)
		return false;
	if (!(o->emit & (1u << i)))
		o->order[o->n_order++] = (enum tool_emit)i;
	o->emit |= 1u << i;
	return true;
}

/* Give each word of "list", which commas divide, to "use", as far as it says
 * true; an empty list is one empty word.
 */
static bool each_word(struct tool_options *o, const char *list,
	bool (*use)(struct tool_options *o, const char *word))
{
	char *copy = strdup(list), *word, *save;
	bool ok = true;

	if (!copy)
		return out_of_memory(o);
	word = strtok_r(copy, ",", &save);
	if (!word)
		ok = use(o, "");
	for (; word && ok; word = strtok_r(NULL, ",", &save))
		ok = use(o, word);
	free(copy);
	return ok;
}

static bool parse_emit(struct tool_options *o)
{
	bool ok = true;

	if (o->emit_list.n == 0)
		return parse_emit_kind(o, o->stop_after ? "poly" : "ptx");
	for (int i = 0; i < o->emit_list.n && ok; i++)
		ok = each_word(o, o->emit_list.item[i], parse_emit_kind);
	return ok;
}

/* Words of --sanitize, in the order of table.c. */
static bool add_check(struct tool_options *o, const char *word)
{
	static const unsigned check[] = {
		CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE,
		CETANE_CHECK_BOUNDS, CETANE_CHECK_INIT, CETANE_CHECK_RACE
	};
	int i = tool_choose("sanitize", word);

	if (i >= 0)
		o->checks |= check[i];
	return i >= 0;
}

static bool parse_sanitize(struct tool_options *o)
{
	bool ok = true;

	for (int i = 0; i < o->sanitize_list.n && ok; i++)
		ok = each_word(o, o->sanitize_list.item[i], add_check);
	return ok;
}

/* "NAME=VALUE". The front end judges names and the range; a text that is no
 * number at all is a matter of usage, or of C a macro.
 */
static bool parse_define(struct tool_options *o, const char *text)
{
	const char *eq = strchr(text, '=');
	struct fe_define *more;
	char *end, *name;
	long long value;

	if (!eq || eq == text || !eq[1])
		return tool_is_c(o) ? eq != text :
			bad_value("define", "NAME=NUMBER", text);
	errno = 0;
	value = strtoll(eq + 1, &end, 10);
	if (*end || errno || strchr(" \t\n\v\f\r+", eq[1]))
		return tool_is_c(o) ||
			bad_value("define", "NAME=NUMBER", text);
	more = realloc(o->define, (size_t)(o->n_define + 1) * sizeof(*more));
	name = more ? strndup(text, (size_t)(eq - text)) : NULL;
	if (more)
		o->define = more;
	if (!name)
		return out_of_memory(o);
	o->define[o->n_define++] = (struct fe_define){ name, value };
	return true;
}

/* Say that "name" is none, and which name is nearest to it. */
static bool unknown_arch(const char *name)
{
	struct tool_suggest s = tool_suggest_begin(name, strlen(name));
	const char *word[TOOL_CHOICE_MOST], *best = NULL;
	int i, n = tool_option_choices("arch", word);

	for (i = 0; i < n; i++)
		if (tool_suggest_try(&s, word[i]))
			best = word[i];
	tool_message(MSG_USAGE_VALUE, "arch", "the name of an architecture, a "
		"GPU or a family, such as sm_90a, h100 or ada", name,
		best ? "; did you mean " : "", best ? best : "");
	return false;
}

/* Add the architectures that "name" stands for, each once. */
static bool add_arch(struct tool_options *o, const char *name)
{
	const struct nvptx_target *list[NVPTX_FAMILY_MOST];
	int n = nvptx_target_named(name, list), i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < o->n_arch; k++)
			if (o->arch_list[k] == list[i])
				break;
		if (k == o->n_arch && k < TOOL_MAX_ARCH)
			o->arch_list[o->n_arch++] = list[i];
	}
	return n > 0 || unknown_arch(name);
}

static bool parse_arch(struct tool_options *o)
{
	bool ok = !o->arch || each_word(o, o->arch, add_arch);

	o->target = o->arch ? o->arch_list[0] : o->target;
	return ok;
}

/* At once, so that the messages that follow obey. */
static bool parse_color(struct tool_options *o)
{
	int i = tool_choose("color", o->color_name);

	if (i >= 0)
		o->color = (enum tool_color)i;
	return i >= 0;
}

static bool conflict(const char *text)
{
	tool_message(MSG_USAGE_CONFLICT, text);
	return false;
}

static bool check_runtime(const struct tool_options *o)
{
	unsigned runtime = 1u << TOOL_EMIT_RUNTIME;

	if ((o->emit & runtime) && o->emit != runtime)
		return conflict("the runtime is written without other kinds");
	if ((o->emit & runtime) && o->depfile)
		return conflict("the runtime depends on no file");
	return true;
}

/* What goes with objects and fat binaries alone, and what does not. */
static bool check_object(struct tool_options *o)
{
	unsigned object = 1u << TOOL_EMIT_OBJECT;
	unsigned several = object | 1u << TOOL_EMIT_FATBIN;

	if (!(o->emit & several) && o->n_arch > 1)
		return conflict("several architectures go into an object or a "
			"fat binary only: --emit=object or --emit=fatbin");
	if (!(o->emit & object) && o->name)
		return conflict("--name needs --emit=object");
	if (!(o->emit & object) && o->drop_in)
		return conflict("--drop-in needs --emit=object");
	if (o->drop_in && o->name)
		return conflict("a drop-in object keeps the function's name, "
			"without --name");
	if (o->drop_in && !tool_is_c(o))
		return conflict("--drop-in needs a file of C");
	if ((o->emit & several) && (o->emit & (o->emit - 1)))
		return conflict("an object or a fat binary is made without "
			"other kinds");
	if ((o->emit & several) && o->from == TOOL_FROM_LLVM)
		return conflict("LLVM IR does not tell how it is launched, "
			"which an object must know; and it is made for one "
			"architecture");
	if ((o->emit & several) && o->n_arch == 0)
		o->arch_list[o->n_arch++] = nvptx_target_find(TOOL_DEFAULT_ARCH);
	return true;
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
	if (o->verbose)
		return conflict("--verbose goes with --version only");
	if (o->tree && o->json)
		return conflict("--schedule is text, without --json");
	if (o->svg && !o->tree)
		return conflict("--svg goes with --schedule");
	if (o->json && (o->access || o->resources))
		return conflict("--json has all parts");
	if (o->tree && (o->access || o->resources || o->explain))
		return conflict("--schedule prints nothing else");
	if (o->checks && strcmp(o->device, "host"))
		return conflict("--sanitize needs --device=host");
	return check_runtime(o) && check_object(o);
}

static bool check_values(struct tool_options *o)
{
	int from, map, verify, fp, semantics, regime, i;

	from = tool_choose("from", o->from_name);
	map = from < 0 ? -1 : tool_choose("map", o->map_name);
	verify = map < 0 ? -1 : tool_choose("verify", o->verify_name);
	fp = verify < 0 ? -1 : o->fp_name ? tool_choose("fp", o->fp_name) : 0;
	semantics = fp < 0 ? -1 :
		tool_choose("semantics", o->semantics_name);
	regime = semantics < 0 ? -1 : tool_choose("regime", o->regime_name);
	if (regime < 0 || !parse_emit(o) || !parse_arch(o) ||
	    !parse_sanitize(o))
		return false;
	o->from = (enum tool_from)from;
	for (i = 0; i < o->define_list.n; i++)
		if (!parse_define(o, o->define_list.item[i]))
			return false;
	for (i = 0; i < o->prefix_list.n; i++)
		if (!strchr(o->prefix_list.item[i], '='))
			return bad_value("file-prefix-map", "OLD=NEW",
				o->prefix_list.item[i]);
	o->fp = (enum poly_fp)fp;
	o->ring = semantics == 1;
	o->mapping = map == 1 ? POLY_MAP_NAIVE : POLY_MAP_TILED;
	o->verify = o->no_verify ? TOOL_VERIFY_NONE : (enum tool_verify)verify;
	return check_conflicts(o);
}

/* --------------------------------------------------------------- parsing */

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
	p = is_long ? find_long(o->verb, arg + 2, len - 2) :
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
	return parse_color(o) ? TOOL_OK : TOOL_USAGE;
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
	if (o->file)
		return tool_bad_operand(strcmp(operand, "FILE") ?
			"more than one code" : "more than one file");
	o->file = arg;
	return TOOL_OK;
}

/* --emit=runtime alone compiles nothing. */
static bool needs_no_file(const struct tool_options *o)
{
	return o->verb == TOOL_BUILD && o->emit_list.n == 1 &&
		!strcmp(o->emit_list.item[0], "runtime");
}

/* Without a file, a suite is tuned. */
static bool may_lack_file(const struct tool_options *o)
{
	return o->verb == TOOL_TUNE || needs_no_file(o);
}

static enum tool_exit missing_operand(const struct tool_options *o)
{
	return tool_bad_operand(strcmp(tool_verb_row[o->verb].operand, "FILE") ?
		"no code given, such as E203" : "no file given");
}

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

static enum tool_exit find_verb(struct tool_options *o, const char *name)
{
	struct tool_suggest s = tool_suggest_begin(name, strlen(name));
	const char *best = NULL;
	int i;

	for (i = 0; i < TOOL_N_VERB; i++) {
		if (!strcmp(name, tool_verb_row[i].name)) {
			o->verb = (enum tool_verb)i;
			return TOOL_OK;
		}
		if (tool_suggest_try(&s, tool_verb_row[i].name))
			best = tool_verb_row[i].name;
	}
	tool_message(MSG_USAGE_VERB, name, best ? "; did you mean " : "",
		best ? best : "");
	return TOOL_USAGE;
}

void tool_options_init(struct tool_options *o)
{
	*o = (struct tool_options){ .map_name = "tiled", .from_name = "dsl",
		.device = "host", .verify_name = "auto", .crash_dir = ".",
		.color_name = "auto", .semantics_name = "ieee", .log = -1,
		.seed = 1, .suite = "gemm", .tuning = "none", .gpu = "cuda",
		.regime_name = "plain", .repeat = 25, .budget = 200, .versions = 1,
		.memory_limit = INT64_C(8) << 30, .time_limit = 60 };
}

enum tool_exit tool_options_read(struct tool_options *o)
{
	enum tool_exit status = find_verb(o, o->args.item[1]);

	return status == TOOL_OK ? parse_arguments(o) : status;
}

enum tool_exit tool_options_check(struct tool_options *o)
{
	bool has_operand = tool_verb_row[o->verb].operand != NULL;

	if (has_operand && !o->file && !may_lack_file(o))
		return missing_operand(o);
	if (o->file && needs_no_file(o))
		return tool_bad_operand("--emit=runtime takes no file");
	return check_values(o) ? TOOL_OK : refused(o);
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
	free(o->prefix_list.item);
	free(o->include_list.item);
	*o = (struct tool_options){ 0 };
}

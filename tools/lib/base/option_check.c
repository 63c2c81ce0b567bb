/* A verb and its options: what their values mean, and what does not go together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/option.h"

/* Ask for one kind of output. Kinds stay in the order in which they were named
 * first.
 *
 * tool_choose() reports a word that it does not know.
 */
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
 *
 * strtok_r() skips empty words between two commas.
 */
static bool each_word(struct tool_options *o, const char *list,
	bool (*use)(struct tool_options *o, const char *word))
{
	char *copy = strdup(list), *word, *save;
	bool ok = true;

	if (!copy)
		return tool_option_no_memory(o);
	word = strtok_r(copy, ",", &save);
	if (!word)
		ok = use(o, "");
	for (; word && ok; word = strtok_r(NULL, ",", &save))
		ok = use(o, word);
	free(copy);
	return ok;
}

/* Read which kinds of output are wanted; without --emit it is PTX, or the
 * program where a pass is the last.
 *
 * --stop-after leaves a program of poly IR.
 */
static bool parse_emit(struct tool_options *o)
{
	bool ok = true;

	if (o->emit_list.n == 0)
		return parse_emit_kind(o, o->stop_after ? "poly" : "ptx");
	for (int i = 0; i < o->emit_list.n && ok; i++)
		ok = each_word(o, o->emit_list.item[i], parse_emit_kind);
	return ok;
}

/* Words of --sanitize, in the order of table.c.
 *
 * "all" is the first word.
 */
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

/* The option may be given several times; checks add up. */
static bool parse_sanitize(struct tool_options *o)
{
	bool ok = true;

	for (int i = 0; i < o->sanitize_list.n && ok; i++)
		ok = each_word(o, o->sanitize_list.item[i], add_check);
	return ok;
}

/* "NAME=VALUE". The front end judges names and the range; a text that is no
 * number at all is a matter of usage, or of C a macro.
 *
 * A macro is kept in the list of options alone: its text goes to the
 * preprocessor. Numbers have no spaces and no "+" in front, which strtoll()
 * would take.
 */
static bool parse_define(struct tool_options *o, const char *text)
{
	const char *eq = strchr(text, '=');
	struct fe_define *more;
	char *end, *name;
	long long value;

	if (!eq || eq == text || !eq[1])
		return tool_has_macros(o) ? eq != text :
			tool_option_bad("define", "NAME=NUMBER", text);
	errno = 0;
	value = strtoll(eq + 1, &end, 10);
	if (*end || errno || strchr(" \t\n\v\f\r+", eq[1]))
		return tool_has_macros(o) ||
			tool_option_bad("define", "NAME=NUMBER", text);
	more = realloc(o->define, (size_t)(o->n_define + 1) * sizeof(*more));
	name = more ? strndup(text, (size_t)(eq - text)) : NULL;
	if (more)
		o->define = more;
	if (!name)
		return tool_option_no_memory(o);
	o->define[o->n_define++] = (struct fe_define){ name, value };
	return true;
}

/* Say that "name" is none, and which name is nearest to it.
 *
 * Names are compared by how many letters differ; one that is too far is not
 * suggested.
 */
static bool unknown_arch(const char *name)
{
	struct fe_suggest s = fe_suggest_begin(name, strlen(name));
	const char *word[TOOL_CHOICE_MOST], *best = NULL;
	int i, n = tool_option_choices("arch", word);

	for (i = 0; i < n; i++)
		if (fe_suggest_try(&s, word[i]))
			best = word[i];
	tool_message(MSG_USAGE_VALUE, "arch", "the name of an architecture, a "
		"GPU or a family, such as sm_90a, h100 or ada", name,
		best ? "; did you mean " : "", best ? best : "");
	return false;
}

/* Add the architectures that "name" stands for, each once.
 *
 * A family has several architectures. Those beyond what the list holds are
 * dropped.
 */
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

/* The first architecture that is named is the one that code is made for where
 * only one is.
 */
static bool parse_arch(struct tool_options *o)
{
	bool ok = !o->arch || each_word(o, o->arch, add_arch);

	o->target = o->arch ? o->arch_list[0] : o->target;
	return ok;
}

/* Always false, for the callers to return. */
static bool conflict(const char *text)
{
	tool_message(MSG_USAGE_CONFLICT, text);
	return false;
}

/* Is --emit=runtime without what it does not go with?
 *
 * The runtime's source is written as it is: nothing is compiled.
 */
static bool check_runtime(const struct tool_options *o)
{
	unsigned runtime = 1u << TOOL_EMIT_RUNTIME;

	if ((o->emit & runtime) && o->emit != runtime)
		return conflict("the runtime is written without other kinds");
	if ((o->emit & runtime) && o->depfile)
		return conflict("the runtime depends on no file");
	if ((o->emit & runtime) && o->reproduce)
		return conflict("the runtime is copied, and nothing is built");
	return true;
}

/* Find the host that the object is for. */
static bool check_host(struct tool_options *o)
{
	if (o->host_name)
		o->host = nvptx_host_find(o->host_name);
	return !o->host_name || o->host ||
		tool_choose("host", o->host_name) >= 0;
}

/* What goes with objects and fat binaries alone, and what does not.
 *
 * Without --arch an object has code for the default architecture.
 */
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
	if (o->selftest && (!(o->emit & object) || o->from != TOOL_FROM_DSL))
		return conflict("--selftest needs --emit=object and a text, which "
			"tells what the outputs must be");
	if (o->measure_error && (!(o->emit & object) || o->from != TOOL_FROM_DSL))
		return conflict("--measure-error needs --emit=object and a text, "
			"which tells what the outputs must be");
	if (o->pitched && (!(o->emit & object) || o->from != TOOL_FROM_DSL ||
	    o->drop_in))
		return conflict("--pitched needs --emit=object and a text; the "
			"arrays of a drop-in object are as C has them");
	if (!(o->emit & object) && o->host_name)
		return conflict("--host needs --emit=object");
	if (!(o->emit & object) && o->no_provenance)
		return conflict("--no-provenance needs --emit=object");
	if (o->drop_in && o->name)
		return conflict("a drop-in object keeps the function's name, "
			"without --name");
	if (o->drop_in && !(tool_notation(o) && tool_notation(o)->callable))
		return conflict("--drop-in needs a file of C");
	if (!check_host(o))
		return false;
	/* More than one bit means that other kinds are asked for, too. */
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

/* Options that are about a step before what FILE holds; "last" is the kind of FILE
 * that still has that step before it.
 *
 *	DSL, POLY, LLVM
 *
 * are in this order: an option of an earlier step has no effect on a later
 * text, and saying so is better than ignoring it.
 */
static bool check_early(const struct tool_options *o)
{
	const struct {
		bool is_set;
		enum tool_from last;
		const char *option;
	} early[] = {
		{ o->function, TOOL_FROM_DSL, "--function" },
		{ o->fp_name, TOOL_FROM_DSL, "--fp" },
		{ o->parametric, TOOL_FROM_DSL, "--parametric" },
		{ o->versions > 1, TOOL_FROM_DSL, "--versions" },
		{ o->mapping == POLY_MAP_NAIVE, TOOL_FROM_POLY, "--map" },
		{ o->config, TOOL_FROM_POLY, "--config" },
		{ o->schedule, TOOL_FROM_POLY, "--schedule" },
		{ strcmp(o->tuning, "none"), TOOL_FROM_POLY, "--tuning" },
		{ o->dump_after, TOOL_FROM_POLY, "--dump-after" },
		{ o->stop_after, TOOL_FROM_POLY, "--stop-after" },
		{ o->roundtrip, TOOL_FROM_POLY, "--roundtrip" },
		{ o->no_check, TOOL_FROM_POLY, "--no-check" },
		{ o->no_contract, TOOL_FROM_POLY, "--no-contract" },
		{ o->ring, TOOL_FROM_POLY, "--semantics=ring" },
		{ o->checks, TOOL_FROM_POLY, "--sanitize" },
		{ o->tree, TOOL_FROM_POLY, "--schedule" },
		{ o->layout, TOOL_FROM_POLY, "--layout" },
		{ o->access, TOOL_FROM_POLY, "--access" },
		{ o->explain, TOOL_FROM_POLY, "--explain" },
	};
	size_t i;

	for (i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		if (early[i].is_set && o->from > early[i].last) {
			tool_message(MSG_USAGE_FROM_TEXT, early[i].option,
				o->from_name);
			return false;
		}
	return true;
}

/* What goes with poly IR and LLVM IR.
 *
 * Kinds of output stand in the order of the stages, so that all those before
 * one are the bits below it.
 */
static bool check_from(const struct tool_options *o)
{
	unsigned html = 1u << TOOL_EMIT_HTML;	/* shows the source, too */
	unsigned before_llvm = ((1u << TOOL_EMIT_LLVM) - 1) | html;
	unsigned before_poly = ((1u << TOOL_EMIT_SCHEDULE) - 1) | html;

	if (o->from == TOOL_FROM_LLVM && (o->emit & before_llvm))
		return conflict("--from=llvm comes too late for that --emit");
	if (o->from == TOOL_FROM_POLY && (o->emit & before_poly))
		return conflict("--from=poly comes too late for that --emit");
	if (o->from != TOOL_FROM_DSL && o->n_define &&
	    o->verb == TOOL_BUILD)
		return conflict("-D goes with --from=dsl only; sizes are fixed "
			"in the program when it is lowered");
	if (o->from == TOOL_FROM_LLVM && o->verb == TOOL_RUN &&
	    !strcmp(o->device, "host"))
		return conflict("LLVM IR is for a GPU: run it with "
			"--device=cuda");
	if (o->from != TOOL_FROM_DSL && o->verify != TOOL_VERIFY_AUTO &&
	    o->verify != TOOL_VERIFY_NONE)
		return conflict("poly IR and LLVM IR do not say what is right: "
			"there is nothing to verify against");
	return check_early(o);
}

/* What goes with suites alone, and with a program alone.
 *
 * With FILE, "bench" measures one program; without, the suites that are listed.
 */
static bool check_bench(const struct tool_options *o)
{
	if (!o->repeat)
		return tool_option_bad("repeat", "a number from 1 on", "0");
	if (o->verb != TOOL_BENCH)
		return true;
	if (o->file && (o->mark || o->resume || o->artifacts || o->against ||
			o->cublas || o->cublaslt || o->cudnn ||
			o->compile_only || o->list || o->end_to_end ||
			o->jobs))
		return conflict("with FILE bench takes no --mark, --resume, "
			"--artifacts, --against, --compile-only, --list, "
			"--end-to-end, --jobs and paths of libraries");
	if (o->file && o->sizes && (o->n_define ||
			!strncmp(o->sizes, "random:", 7)))
		return conflict("with FILE bench takes its sizes from a file, or "
			"from -D");
	if (!o->file && (o->rival_list.n || o->define_list.n ||
			o->input_list.n || o->extent_list.n ||
			o->live_out_list.n || o->include_list.n || o->function ||
			o->fp_name))
		return conflict("--rival, --input, -D, --fp and what is about "
			"files of C need a FILE to bench");
	return true;
}

/* What decides in the place of a schedule script does not go with one.
 *
 * A script decides all that the automatic schedule would.
 */
static bool check_script(const struct tool_options *o)
{
	if ((o->emit & 1u << TOOL_EMIT_SCRIPT) && (o->versions > 1 ||
	    o->schedule))
		return conflict("--emit=script writes what the automatic "
			"schedule does: it goes without --schedule and "
			"--versions");
	if (o->decisions && !o->schedule)
		return conflict("--decisions is about a script: it goes with "
			"--schedule=FILE.lua");
	if (o->schedule && o->verb == TOOL_TUNE && !o->file)
		return conflict("--schedule=FILE.lua is about a program: it goes "
			"with FILE, not with --suite");
	return !o->schedule || (o->mapping != POLY_MAP_NAIVE && !o->config &&
		o->versions <= 1 && !strcmp(o->tuning, "none")) ||
		conflict("--schedule=FILE.lua goes without --map=naive, "
			"--config, --tuning and --versions");
}

/* What is about a program needs one: a code of a message has no sizes. */
static bool check_explain(const struct tool_options *o)
{
	bool program = o->define_list.n || o->include_list.n || o->function ||
		o->extent_list.n || o->live_out_list.n || o->in_process;

	if (o->verb != TOOL_EXPLAIN)
		return true;
	if (o->advise)
		return o->file || conflict("--advise needs a FILE");
	return !program || conflict("-D, -I, --in-process and what is about files "
		"of C go with --advise FILE");
}

/* Combinations that make no sense.
 *
 * Each pair of options that do not go together has its own words: the message
 * says which and why.
 */
static bool check_conflicts(struct tool_options *o)
{
	unsigned before_llvm = (1u << TOOL_EMIT_LLVM) - 1;

	if (!check_from(o) || !check_script(o) || !check_bench(o) ||
	    !check_explain(o))
		return false;
	if (o->profile && !(o->emit & 1u << TOOL_EMIT_HTML))
		return conflict("--profile goes with --emit=html");
	if ((o->emit & 1u << TOOL_EMIT_POLY) && o->versions > 1)
		return conflict("the text of a program has no other versions of "
			"it: --emit=poly goes without --versions");
	if (o->stop_after && (o->emit & ~before_llvm))
		return conflict("--stop-after leaves nothing to lower");
	/* A number behind "cuda:" is looked at where the device is opened. */
	if (strcmp(o->device, "host") && strcmp(o->device, "cuda") &&
	    strncmp(o->device, "cuda:", 5))
		return tool_option_bad("device", "host, cuda or cuda:N", o->device);
	if (o->verbose)
		return conflict("--verbose goes with --version only");
	if ((o->tree || o->layout) && o->json)
		return conflict(o->tree ? "--schedule is text, without --json" :
			"--layout is text, without --json");
	if (o->before && (!o->tree || o->svg))
		return conflict("--against=FILE goes with --schedule, and without "
			"--svg");
	if (o->svg && !o->tree && !o->layout)
		return conflict("--svg goes with --schedule or --layout");
	if (o->json && (o->access || o->resources))
		return conflict("--json has all parts");
	if (o->tree && (o->access || o->resources || o->explain || o->layout))
		return conflict("--schedule prints nothing else");
	if (o->layout && (o->access || o->resources || o->explain))
		return conflict("--layout prints nothing else");
	if (o->checks && strcmp(o->device, "host"))
		return conflict("--sanitize needs --device=host");
	return check_runtime(o) && check_object(o);
}

bool tool_is_relaxed(const struct tool_options *o)
{
	return o->fp_name && o->fp == POLY_FP_RELAXED;
}

/* Called when all options have been read. The first word that is wrong ends it;
 * a word is -1 then, and all behind it are not looked at.
 */
bool tool_options_judge(struct tool_options *o)
{
	int from, map, verify, fp, semantics, regime, i;

	from = tool_choose("from", o->from_name ? o->from_name : "dsl");
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
	/* Definitions come after --from is known: whether a text may be a macro
	 * depends on it.
	 */
	for (i = 0; i < o->define_list.n; i++)
		if (!parse_define(o, o->define_list.item[i]))
			return false;
	for (i = 0; i < o->extent_list.n; i++)
		if (!strchr(o->extent_list.item[i], '='))
			return tool_option_bad("extent", "NAME=SIZE",
				o->extent_list.item[i]);
	for (i = 0; i < o->prefix_list.n; i++)
		if (!strchr(o->prefix_list.item[i], '='))
			return tool_option_bad("file-prefix-map", "OLD=NEW",
				o->prefix_list.item[i]);
	o->fp = (enum poly_fp)fp;
	o->ring = semantics == 1;
	/* --no-verify is short for --verify=none. */
	o->mapping = map == 1 ? POLY_MAP_NAIVE : POLY_MAP_TILED;
	o->verify = o->no_verify ? TOOL_VERIFY_NONE : (enum tool_verify)verify;
	return check_conflicts(o);
}

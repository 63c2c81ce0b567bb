/* What a schedule script leaves open: the values of tune(), tried in the order of the
 * model, and written to the file of --decisions.
 *
 * A script asks for values one after the other, and what it asks for may depend on what
 * it got. So the first values are tried first. Then, again and again, of all choices
 * that were tried the best one whose neighbours were not gives its neighbours: choices
 * in which one value is another. That finds all choices if there are few, and goes down
 * from the best ones if there are many. A choice that the script or a later stage refuses is
 * not among the candidates.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/lib/compile/compile.h"
#include "tools/lib/compile/tuning.h"
#include "tools/lib/inspect/inspect.h"
#include "tools/tune/tune.h"

/* A choice that was tried: "config" is "A 1; B 2", and "asked" what the script asked for,
 * as struct poly_script has it. Cycles are infinite if it was refused.
 */
struct choice {
	char *config, *asked;
	double cycles;
	bool is_expanded;
};
/* Choices that were tried; "failed": a fault that ends the search. */
struct trials {
	const struct tool_options *o;
	const struct tool_source *src;
	const struct nvptx_target *target;
	struct tool_space *space;
	struct choice *item;
	int n, refused;
	double until;
	enum tool_exit status;
};
/* A worker's work: to compile with "decisions", and to write what came of it to "fd".
 * Refusals are told if it is "loud".
 */
struct job {
	const struct trials *t;
	const char *decisions;
	bool loud;
	int fd;
};

/* A part of a text. */
struct word {
	const char *s;
	size_t len;
};

char *tool_space_decisions(const char *config)
{
	char *text = strdup(config), *at = text;

	while (at && (at = strstr(at, "; "))) {
		*at++ = '\n';
		memmove(at, at + 1, strlen(at));
	}
	return text;
}

/* -------------------------------------------------------------- the worker */

/* The name of the program, and its hash before any pass, into "text". */
static enum tool_exit identify(const struct trials *t, struct poly_str *text)
{
	char hash[TOOL_TUNING_HASH];
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, t->o, t->src, NVPTX_GPU, TOOL_STAGE_FE_LOWER,
		NULL);
	status = tool_compile(&c);
	if (status == TOOL_OK && tool_tuning_hash(c.prog, hash))
		poly_str_printf(text, "%s %s\n", c.prog->name, hash);
	else if (status == TOOL_OK)
		status = tool_no_memory("the program");
	return tool_compile_free(&c, status);
}

/* In the worker: compile with the decisions, and send the name and the hash of the
 * program, the cycles that the model expects, and what the script has asked for.
 *
 * What is refused is no failure: it has no cycles.
 */
static enum tool_exit work(void *user)
{
	const struct job *j = user;
	struct tool_options o = *j->t->o;
	struct tool_facts f = { 0 };
	struct poly_str text = { 0 };
	struct tool_compile c;
	enum tool_exit status = identify(j->t, &text);
	double cycles = INFINITY, us;

	if (status != TOOL_OK)
		return status;
	o.decisions_text = j->decisions;
	o.log = -1;
	if (!j->loud)
		tool_listen((struct tool_ear){ 0 });
	tool_compile_init(&c, &o, j->t->src, NVPTX_GPU,
		TOOL_STAGE_NVPTX_ASSEMBLE, NULL);
	c.nvptx.target = j->t->target;
	c.ptx_will_do = true;
	status = tool_compile(&c);
	if (status == TOOL_OK && tool_facts_gather(&f, &o, &c) == TOOL_OK)
		cycles = tool_facts_predicted(&f, &us);
	tool_facts_free(&f);
	poly_str_printf(&text, "%.17g\n%s", cycles,
		c.script.asked.s ? c.script.asked.s : "");
	status = tool_compile_free(&c, status);
	if ((status == TOOL_INPUT || status == TOOL_USAGE) && !j->loud)
		status = TOOL_OK;
	if (status == TOOL_OK && (text.failed ||
			!tool_write(j->fd, text.s, text.len)))
		status = tool_no_memory("the search");
	poly_str_free(&text);
	return status;
}

/* ----------------------------------------------------------------- choices */

/* The word at "*at", which goes behind it; "" at the end of a line. */
static struct word next_word(const char **at)
{
	struct word w;

	*at += strspn(*at, " ");
	w = (struct word){ *at, strcspn(*at, " \n") };
	*at += w.len;
	return w;
}

/* The number of the value that was taken, behind the name in the line "line". */
static int taken(const char *line)
{
	next_word(&line);
	return atoi(line);
}

/* The configuration of the lines "asked", but for the line "other", which has the value
 * "value"; NULL without memory.
 */
static char *spell(const char *asked, const char *other, int value)
{
	struct poly_str s = { 0 };
	const char *line, *at;
	struct word w;
	int n;

	poly_str_add(&s, "");
	for (line = asked; *line; line = at + (*at == '\n')) {
		at = line;
		w = next_word(&at);
		poly_str_printf(&s, "%s%.*s ", s.len ? "; " : "", (int)w.len,
			w.s);
		next_word(&at);
		n = line == other ? value : taken(line);
		do
			w = next_word(&at);
		while (--n > 0);
		poly_str_printf(&s, "%.*s", (int)w.len, w.s);
		at += strcspn(at, "\n");
	}
	return s.failed ? NULL : s.s;
}

/* How many values the line "line" has. */
static int count_values(const char *line)
{
	int n = -2;

	while (next_word(&line).len)
		n++;
	return n;
}

/* Was the choice "config" tried? */
static bool is_known(const struct trials *t, const char *config)
{
	int i;

	for (i = 0; i < t->n; i++)
		if (!strcmp(t->item[i].config, config))
			return true;
	return false;
}

/* Keep what a worker has sent, unless the choice that the script made of it is known;
 * false without memory, or if it is damaged.
 */
static bool receive(struct trials *t, const char *text)
{
	struct choice *more = realloc(t->item, (size_t)(t->n + 1) *
		sizeof(*more));
	const char *name = text, *line = strchr(text, '\n');
	struct word w = next_word(&name), hash = next_word(&name);
	struct choice c = { .cycles = NAN };
	char *end;

	if (more)
		t->item = more;
	if (!more || !line)
		return false;
	c.cycles = strtod(line + 1, &end);
	if (*end != '\n')
		return false;
	if (!t->space->name) {
		t->space->name = strndup(w.s, w.len);
		snprintf(t->space->hash, sizeof(t->space->hash), "%.*s",
			(int)hash.len, hash.s);
	}
	c.config = spell(end + 1, NULL, 0);
	c.asked = strdup(end + 1);
	if (!c.config || !c.asked || !t->space->name || is_known(t, c.config)) {
		bool ok = c.config && c.asked && t->space->name;

		free(c.config);
		free(c.asked);
		return ok;
	}
	t->refused += isinf(c.cycles);
	t->item[t->n++] = c;
	return true;
}

/* Compile with the choice "config" in a worker, and keep what comes of it.
 *
 * A fault that is not the choice's ends the search; a limit that it goes over does not.
 */
static enum tool_exit try_choice(struct trials *t, const char *config, bool loud)
{
	char *decisions = tool_space_decisions(config);
	struct job j = { .t = t, .decisions = decisions, .loud = loud,
		.fd = memfd_create("cetane-script", MFD_CLOEXEC) };
	struct tool_source text = { 0 };
	enum tool_exit status = TOOL_OK;

	if (j.fd < 0) {
		tool_message(MSG_WORKER, strerror(errno));
		status = TOOL_ENVIRONMENT;
	} else if (!decisions) {
		status = tool_no_memory("the search");
	}
	if (status == TOOL_OK)
		status = tool_worker(t->o, t->src, work, &j);
	if (status == TOOL_OK && (lseek(j.fd, 0, SEEK_SET) < 0 ||
			!tool_source_read_fd(&text, j.fd) ||
			!receive(t, text.text)))
		status = tool_no_memory("the search");
	tool_source_free(&text);
	free(decisions);
	if (j.fd >= 0)
		close(j.fd);
	return status;
}

/* ------------------------------------------------------------------ search */

/* Is there no more to try, for a choice or for time? */
static bool is_spent(const struct trials *t)
{
	return t->status != TOOL_OK || tool_bench_stopped() ||
		(t->o->budget && t->n >= t->o->budget) ||
		(t->until > 0 && tool_bench_seconds() >= t->until);
}

/* Try all neighbours of choice "i" that were not tried. */
static void expand(struct trials *t, int i)
{
	const char *line = t->item[i].asked, *end;
	int n, value;
	char *config;

	t->item[i].is_expanded = true;
	for (; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		n = count_values(line);
		for (value = 1; value <= n && !is_spent(t); value++) {
			config = value == taken(line) ? NULL :
				spell(t->item[i].asked, line, value);
			if (config && !is_known(t, config))
				t->status = try_choice(t, config, false);
			free(config);
		}
	}
}

/* The best choice whose neighbours are not tried, or -1. */
static int best_open(const struct trials *t)
{
	int i, best = -1;

	for (i = 0; i < t->n; i++)
		if (!t->item[i].is_expanded && (best < 0 ||
				t->item[i].cycles < t->item[best].cycles))
			best = i;
	return best;
}

/* What the first choice had to choose from, as text, and how many choices that makes. */
static bool count_choices(struct trials *t)
{
	struct poly_str s = { 0 };
	const char *line = t->item[0].asked, *at;
	struct word w;

	poly_str_add(&s, "");
	t->space->total = 1;
	for (; *line; line = strchr(line, '\n') + 1) {
		at = line;
		w = next_word(&at);
		poly_str_printf(&s, "%s%.*s: %d values", s.len ? "; " : "",
			(int)w.len, w.s, count_values(line));
		t->space->total *= count_values(line);
	}
	poly_str_printf(&s, "; %d tried, %d refused", t->n, t->refused);
	t->space->factors = s.failed ? NULL : s.s;
	return !s.failed;
}

/* The choice that the model thinks best first, else in the order of their texts. */
static int compare(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? -1 : 1;
	return strcmp(x->config, y->config);
}

/* Make candidates of the choices that were not refused. */
static bool list(struct trials *t)
{
	struct tool_space *s = t->space;
	int i;

	qsort(t->item, (size_t)t->n, sizeof(*t->item), compare);
	s->item = calloc((size_t)t->n + 1, sizeof(*s->item));
	for (i = 0; s->item && i < t->n && isfinite(t->item[i].cycles); i++) {
		s->item[s->n++] = (struct tool_candidate){ t->item[i].config,
			t->item[i].cycles };
		t->item[i].config = NULL;
	}
	return s->item != NULL;
}

/* Try choices until there are no more, and list them. If all were refused, tell why the
 * first one was.
 */
static enum tool_exit search(struct trials *t)
{
	int i;

	t->status = try_choice(t, "", false);
	if (t->status != TOOL_OK)
		return t->status;
	if (!*t->item[0].asked && isfinite(t->item[0].cycles)) {
		tool_message(MSG_TUNE_NOTHING, t->o->schedule,
			"the script leaves nothing open: it does not call tune");
		return TOOL_INPUT;
	}
	while (!is_spent(t) && (i = best_open(t)) >= 0)
		expand(t, i);
	if (t->status != TOOL_OK)
		return t->status;
	if (t->refused == t->n)
		return try_choice(t, "", true);
	return count_choices(t) && list(t) ? TOOL_OK :
		tool_no_memory("the search");
}

enum tool_exit tool_space_script(struct tool_space *s,
	const struct tool_options *o, const struct tool_source *src,
	const struct nvptx_target *target, double until)
{
	struct trials t = { .o = o, .src = src, .target = target, .space = s,
		.until = until };
	enum tool_exit status;
	int i;

	*s = (struct tool_space){ 0 };
	status = search(&t);
	for (i = 0; i < t.n; i++) {
		free(t.item[i].config);
		free(t.item[i].asked);
	}
	free(t.item);
	return status;
}

/* ------------------------------------------------------------ what is kept */

/* What is written about a choice. */
struct kept {
	const struct tool_options *o;
	const struct tool_space *space;
	const char *config, *why;
};

/* Write the choice as a file of --decisions, and what it is of. */
static void write_choice(const void *user, const char *path, FILE *f)
{
	const struct kept *k = user;
	char *lines = tool_space_decisions(k->config);

	(void)path;
	fprintf(f, "# cetane tune: what %s leaves open, for program %s (%s)\n# %s\n"
		"%s\n", k->o->schedule, k->space->name, k->space->hash, k->why,
		lines ? lines : "");
	if (!lines)
		tool_no_memory("the decisions");
	free(lines);
}

enum tool_exit tool_script_keep(const struct tool_space *s,
	const struct tool_options *o, const char *path, const char *config,
	const char *why)
{
	struct kept k = { o, s, config, why };

	printf("  %s\n  %s\n", config, why);
	return path ? tool_write_output(path, write_choice, &k) : TOOL_OK;
}

enum tool_exit tool_script_host(const struct tool_space *s,
	const struct tool_options *o, const char *path)
{
	struct tool_options run = *o;
	char *decisions = tool_space_decisions(s->item[0].config), why[120];
	enum tool_exit status;

	if (!decisions)
		return tool_no_memory("the decisions");
	run.device = "host";
	run.output_list.n = 0;
	run.log = -1;
	run.decisions_text = decisions;
	status = tool_run(&run);
	free(decisions);
	if (status != TOOL_OK)
		return status;
	snprintf(why, sizeof(why), "%.0f cycles by the model of %s, verified on the "
		"host device", s->item[0].cycles, o->target ? o->target->name :
		TOOL_DEFAULT_ARCH);
	return tool_script_keep(s, o, path, s->item[0].config, why);
}

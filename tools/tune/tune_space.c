/* What there is to try for a program: every number of parts of its sums, and
 * for each of these every block of each of its kernels with a product.
 *
 * A worker compiles the program as far as blocks are chosen, once for the
 * choice of the model and once for each combination of parts, and sends the
 * list as text: a line each for the program, the factors, and the candidates.
 * With several kernels the best blocks of each are combined, so many that the
 * list stays short.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/lib/compile/compile.h"
#include "tools/lib/compile/tuning.h"
#include "tools/tune/tune.h"

/* Combinations of parts of sums, and of blocks for all products together;
 * products that have a choice.
 *
 * Numbers that keep the list short: it is measured one by one.
 */
enum { COMBINATIONS_MOST = 64, PRODUCT_MOST = 4096, CHOICE_MOST = 16 };

/* A worker's work.
 *
 * "cap" is the room in the list. The parent has only "fd" of it.
 */
struct job {
	const struct tool_options *o;
	const struct tool_source *src;
	const struct nvptx_target *target;
	int fd;
	struct tool_space space;
	int cap;
};

/* ----------------------------------------------------------------- noting */

/* Append a candidate with the configuration "config", which is shortened to one
 * line as databases have it; false without memory.
 *
 * "cycles" is what the model expects of all kernels together.
 */
static bool add(struct job *j, const char *config, double cycles)
{
	struct tool_space *s = &j->space;
	struct tool_candidate *more;
	struct poly_str text = { 0 };

	if (s->n == j->cap) {
		more = realloc(s->item, (size_t)(2 * j->cap + 64) *
			sizeof(*more));
		if (!more)
			return false;
		s->item = more;
		j->cap = 2 * j->cap + 64;
	}
	if (!tool_tuning_shorten(config, s->name, &text)) {
		poly_str_free(&text);
		return false;
	}
	s->item[s->n++] = (struct tool_candidate){ text.s, cycles };
	return true;
}

/* The name and the hash of the program.
 *
 * The hash is that of the program before any pass, which does not depend on
 * choices.
 */
static enum tool_exit identify(struct job *j)
{
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, j->o, j->src, NVPTX_GPU, TOOL_STAGE_FE_LOWER,
		NULL);
	status = tool_compile(&c);
	if (status == TOOL_OK) {
		j->space.name = strdup(c.prog->name);
		if (!j->space.name || !tool_tuning_hash(c.prog, j->space.hash))
			status = tool_no_memory("the program");
	}
	return tool_compile_free(&c, status);
}

/* What can be chosen with "config", or without one.
 *
 * The passes run up to the one that chooses blocks, without checks. "search"
 * gets what each choice had to choose from.
 */
static enum tool_exit note(struct job *j, const char *config,
	struct poly_search *search)
{
	struct tool_options o = *j->o;
	struct tool_compile c;
	enum tool_exit status;

	o.config_text = config;
	tool_compile_init(&c, &o, j->src, NVPTX_GPU, TOOL_STAGE_POLY_COMPILE,
		NULL);
	c.nvptx.target = j->target;
	c.poly.check = false;
	c.poly.stop_after = "map_tiles";
	c.poly.request.search = search;
	status = tool_compile(&c);
	if (status == TOOL_OK && search->failed)
		status = tool_no_memory("the search");
	return tool_compile_free(&c, status);
}

/* ---------------------------------------------------------------- combining */

/* The next combination of "at", each below its limit; false behind the last.
 *
 * Like a number whose digits have different bases; the last one runs fastest.
 */
static bool next(int *at, const int *limit, int n)
{
	int i;

	for (i = n - 1; i >= 0; i--) {
		if (++at[i] < limit[i])
			return true;
		at[i] = 0;
	}
	return false;
}

/* Those about sums, or kernels, once for each name.
 *
 * A name may be asked about several times; the first time counts.
 */
static int choices(const struct poly_search *s, bool sums,
	const struct poly_search_choice **list)
{
	int i, k, n = 0;

	for (i = 0; i < s->n && n < CHOICE_MOST; i++) {
		if (s->choice[i].is_sum != sums)
			continue;
		for (k = 0; k < n; k++)
			if (!strcmp(list[k]->name, s->choice[i].name))
				break;
		if (k == n)
			list[n++] = &s->choice[i];
	}
	return n;
}

/* All blocks of the kernels in "search", behind the lines "parts", which cost
 * "cycles".
 *
 * With "n" kernels the best of each are combined: the n-th root of PRODUCT_MOST
 * of each, so that there are at most PRODUCT_MOST.
 */
static enum tool_exit add_blocks(struct job *j,
	const struct poly_search *search, const char *parts, double cycles)
{
	const struct poly_search_choice *list[CHOICE_MOST];
	int at[CHOICE_MOST] = { 0 }, limit[CHOICE_MOST], i;
	int n = choices(search, false, list);
	double all = 1, sum;
	bool ok = true;

	for (i = 0; i < n; i++) {
		int most = (int)floor(pow(PRODUCT_MOST, 1.0 / n) + 1e-9);

		all *= list[i]->n;
		limit[i] = list[i]->n < most ? list[i]->n : most;
	}
	/* A kernel without a legal block leaves nothing to try. */
	if (!n || !all)
		return TOOL_OK;
	j->space.total += all;
	do {
		struct poly_str s = { 0 };

		poly_str_add(&s, parts);
		for (sum = cycles, i = 0; i < n; i++) {
			poly_str_printf(&s, "%s\n",
				list[i]->item[at[i]].line);
			sum += list[i]->item[at[i]].cycles;
		}
		ok = !s.failed && add(j, s.s, sum);
		poly_str_free(&s);
	} while (ok && next(at, limit, n));
	return ok ? TOOL_OK : tool_no_memory("the search");
}

/* The candidates with the parts "at" of the sums "list".
 *
 * The parts decide which kernels there are, so the program is compiled as far
 * as blocks once more.
 */
static enum tool_exit add_parts(struct job *j,
	const struct poly_search_choice **list, const int *at, int n)
{
	struct poly_str lines = { 0 }, config = { 0 };
	struct poly_search search = { 0 };
	enum tool_exit status;
	double cycles = 0;
	int i;

	poly_str_add(&lines, "");
	for (i = 0; i < n; i++) {
		poly_str_printf(&lines, "%s\n", list[i]->item[at[i]].line);
		cycles += list[i]->item[at[i]].cycles;
	}
	poly_str_printf(&config, "cetane-config 1\n%s", lines.s);
	status = lines.failed || config.failed ? tool_no_memory("the search") :
		note(j, config.s, &search);
	if (status == TOOL_OK)
		status = add_blocks(j, &search, lines.s, cycles);
	poly_search_free(&search);
	poly_str_free(&lines);
	poly_str_free(&config);
	return status;
}

/* What the model chose by itself: the first candidate.
 *
 * Lines and factors are put together over all choices: one line each.
 */
static enum tool_exit add_own(struct job *j, const struct poly_search *search)
{
	struct poly_str s = { 0 }, factors = { 0 };
	double cycles = 0;
	bool ok;
	int i;

	poly_str_add(&factors, "");
	for (i = 0; i < search->n; i++) {
		const struct poly_search_choice *c = &search->choice[i];

		poly_str_printf(&s, "%s\n", c->used.line);
		cycles += c->used.cycles;
		if (c->is_sum)
			poly_str_printf(&factors, "%sparts of %s: %d", i ?
				"; " : "", c->name, c->n);
		else
			poly_str_printf(&factors, "%sblocks of %s: %d legal "
				"of %s", i ? "; " : "", c->name, c->n,
				c->factors);
	}
	j->space.factors = factors.failed ? NULL : factors.s;
	ok = !s.failed && j->space.factors && (!s.s || add(j, s.s, cycles));
	poly_str_free(&s);
	return ok ? TOOL_OK : tool_no_memory("the search");
}

/* The fastest candidate by the model first, else in the order of their texts.
 *
 * Texts break ties, so that the order does not depend on how qsort() sorts.
 */
static int compare(const void *a, const void *b)
{
	const struct tool_candidate *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? -1 : 1;
	return strcmp(x->config, y->config);
}

/* Sort all but the first, which is removed where it stands again.
 *
 * The model's choice is listed again by the search.
 */
static void sort(struct tool_space *s)
{
	int i, n = 1;

	if (!s->n)
		return;
	qsort(s->item + 1, (size_t)s->n - 1, sizeof(*s->item), compare);
	for (i = 1; i < s->n; i++)
		if (strcmp(s->item[i].config, s->item[0].config))
			s->item[n++] = s->item[i];
		else
			free(s->item[i].config);
	s->n = n;
}

/* -------------------------------------------------------------- the worker */

/* List the candidates: what the model chose, then all blocks for each
 * combination of parts of the sums, up to COMBINATIONS_MOST of these.
 *
 * A program without sums has one combination: the empty one.
 */
static enum tool_exit list_all(struct job *j)
{
	const struct poly_search_choice *list[CHOICE_MOST];
	int at[CHOICE_MOST] = { 0 }, limit[CHOICE_MOST], n, i, count = 0;
	struct poly_search own = { 0 };
	enum tool_exit status = note(j, NULL, &own);

	if (status == TOOL_OK)
		status = add_own(j, &own);
	n = choices(&own, true, list);
	for (i = 0; i < n; i++)
		limit[i] = list[i]->n;
	if (own.n && status == TOOL_OK)
		do
			status = add_parts(j, list, at, n);
		while (status == TOOL_OK && next(at, limit, n) &&
		       ++count < COMBINATIONS_MOST);
	poly_search_free(&own);
	sort(&j->space);
	return status;
}

/* In the worker: list the candidates and send them as text.
 *
 *	NAME HASH TOTAL
 *	FACTORS
 *	CYCLES CONFIG		for each candidate
 */
static enum tool_exit work(void *user)
{
	struct job *j = user;
	struct tool_space *s = &j->space;
	struct poly_str text = { 0 };
	enum tool_exit status = identify(j);
	int i;

	if (status == TOOL_OK)
		status = list_all(j);
	if (status == TOOL_OK) {
		poly_str_printf(&text, "%s %s %.17g\n%s\n", s->name, s->hash,
			s->total, s->factors);
		for (i = 0; i < s->n; i++)
			poly_str_printf(&text, "%.17g %s\n",
				s->item[i].cycles, s->item[i].config);
		if (text.failed || !tool_write(j->fd, text.s, text.len))
			status = tool_no_memory("the search");
	}
	poly_str_free(&text);
	tool_space_free(s);
	return status;
}

/* -------------------------------------------------------------- the parent */

/* The next line of "*text", or NULL.
 *
 * A last line without an end is no line.
 */
static char *next_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && *text ? line : NULL;
}

/* Read what the worker has sent; false without memory, or if it is damaged.
 *
 * What has been read stays in "s", for the caller to free.
 */
static bool receive(struct tool_space *s, char *text)
{
	char *line = next_line(&text), *word, *end;
	struct tool_candidate *more;

	word = line ? strsep(&line, " ") : NULL;
	if (!word || !line || strlen(line) < TOOL_TUNING_HASH)
		return false;
	s->name = strdup(word);
	snprintf(s->hash, sizeof(s->hash), "%.16s", strsep(&line, " "));
	s->total = line ? strtod(line, NULL) : 0;
	line = next_line(&text);
	s->factors = line ? strdup(line) : NULL;
	while ((line = next_line(&text))) {
		more = realloc(s->item, (size_t)(s->n + 1) * sizeof(*more));
		if (!more)
			return false;
		s->item = more;
		s->item[s->n].cycles = strtod(line, &end);
		s->item[s->n].config = *end ? strdup(end + 1) : NULL;
		if (!s->item[s->n++].config)
			return false;
	}
	return s->name && s->factors;
}

/* The list comes through a file in memory: it may be long. */
enum tool_exit tool_space_list(struct tool_space *s,
	const struct tool_options *o, const struct tool_source *src,
	const struct nvptx_target *target)
{
	struct job j = { .o = o, .src = src, .target = target,
		.fd = memfd_create("cetane-space", MFD_CLOEXEC) };
	struct tool_source text = { 0 };
	enum tool_exit status;

	*s = (struct tool_space){ 0 };
	if (j.fd < 0) {
		tool_message(MSG_WORKER, strerror(errno));
		return TOOL_ENVIRONMENT;
	}
	status = tool_worker(o, src, work, &j);
	if (status == TOOL_OK && (lseek(j.fd, 0, SEEK_SET) < 0 ||
			!tool_source_read_fd(&text, j.fd) ||
			!receive(s, text.text)))
		status = tool_no_memory("the search");
	tool_source_free(&text);
	close(j.fd);
	return status;
}

/* May be called for an empty list. */
void tool_space_free(struct tool_space *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		free(s->item[i].config);
	free(s->item);
	free(s->name);
	free(s->factors);
	*s = (struct tool_space){ 0 };
}

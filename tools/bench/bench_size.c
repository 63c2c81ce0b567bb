/* Sizes of benchmarks: from a file, drawn at random, or from a text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"

/* How many random sizes there are. */
enum { N_RANDOM = 100 };
/* 2^31: numbers below it are extents of a program. */
static const int64_t SIZE_MOST = INT64_C(1) << 31;

/* The list is freed by tool_bench_sizes_free(). */
bool tool_bench_size_add(struct tool_bench_sizes *s,
	const struct tool_bench_size *size)
{
	struct tool_bench_size *more;

	if (s->n == s->cap) {
		more = realloc(s->item, (size_t)(2 * s->cap + 16) *
			sizeof(*more));
		if (!more)
			return false;
		s->item = more;
		s->cap = 2 * s->cap + 16;
	}
	s->item[s->n++] = *size;
	return true;
}

/* Told in the same words wherever it happens. */
static enum tool_exit no_memory(void)
{
	return tool_no_memory("the sizes");
}

/* Append the sizes of equal numbers from "low" on; "rest" is ":HIGH:STEP".
 *
 * "end" is moved behind what was read.
 */
static bool add_range(struct tool_bench_sizes *s, int64_t low,
	const char *rest, char **end, int count)
{
	int64_t high = strtoll(rest + 1, end, 10);
	int64_t step = strtoll(*end + 1, end, 10);
	struct tool_bench_size size = { .count = count };
	int i;

	for (; low <= high; low += step) {
		for (i = 0; i < count; i++)
			size.n[i] = low;
		if (!tool_bench_size_add(s, &size))
			return false;
	}
	return true;
}

/*	512 512 512;1024:4096:1024
 *
 * Lists of this form stand in tables and are not checked.
 */
bool tool_bench_sizes_add(struct tool_bench_sizes *s, const char *list,
	int count)
{
	struct tool_bench_size size = { .count = count };
	bool ok = true;
	char *end;
	int i;

	for (; *list && ok; list = end + (*end == ';')) {
		size.n[0] = strtoll(list, &end, 10);
		if (*end == ':') {
			ok = add_range(s, size.n[0], end, &end, count);
			continue;
		}
		for (i = 1; i < count; i++)
			size.n[i] = strtoll(end, &end, 10);
		ok = tool_bench_size_add(s, &size);
	}
	return ok;
}

/* --------------------------------------------------------------- a file */

/* A line each, with "#" in front of comments. */

/* The message has the place. */
static enum tool_exit bad_line(const char *name, int line, const char *why)
{
	tool_message(MSG_BENCH_SIZES, name, line, why);
	return TOOL_INPUT;
}

/* Read a line: numbers, then, if there is one, a word of marks or "-".
 *
 * NULL, or what is wrong. An empty line has no size.
 */
static const char *read_line(char *line, struct tool_bench_size *size)
{
	char *word, *save, *end;
	long long n;

	*size = (struct tool_bench_size){ 0 };
	for (word = strtok_r(line, " \t\r,", &save); word;
	     word = strtok_r(NULL, " \t\r,", &save)) {
		if (size->mark[0])
			return "something stands behind the marks";
		errno = 0;
		n = strtoll(word, &end, 10);
		/* A word that is no number is the mark, if a number stands in
		 * front of it.
		 */
		if (*end && size->count && strlen(word) < sizeof(size->mark)) {
			strcpy(size->mark, word);
			continue;
		}
		if (*end || errno || n < 1 || n >= SIZE_MOST)
			return "a size is a number from 1 to 2147483647";
		if (size->count == TOOL_BENCH_N_SIZE)
			return "too many numbers";
		size->n[size->count++] = n;
	}
	return NULL;
}

/* Read a file of sizes, a size a line, all of as many numbers; "text" is
 * changed. TOOL_INPUT, told, at the first line that is wrong, or if there is
 * none.
 *
 * A file without a size is wrong: nothing would be measured.
 */
static enum tool_exit read_text(struct tool_bench_sizes *s, const char *name,
	char *text)
{
	struct tool_bench_size size;
	char *line, *save;
	const char *why;
	int number = 0;

	for (line = text; line; line = save) {
		save = strchr(line, '\n');
		if (save)
			*save++ = '\0';
		number++;
		line[strcspn(line, "#")] = '\0';
		why = read_line(line, &size);
		if (why)
			return bad_line(name, number, why);
		if (size.count && s->n && size.count != s->item[0].count)
			return bad_line(name, number, "the lines above have "
				"another number of sizes");
		if (size.count && !tool_bench_size_add(s, &size))
			return no_memory();
	}
	return s->n ? TOOL_OK : bad_line(name, number, "there is no size");
}

/* --------------------------------------------------------------- random */

/* A size in [32, 16384], a multiple of 32 below 128 and of 128 from there on;
 * uniform, or with a logarithm that is.
 */
static int64_t draw(uint64_t bits, bool uniform)
{
	double u = (double)(bits >> 11) * 0x1p-53;
	double x = uniform ? 32 + u * (16384 - 32) : 32 * exp2(9 * u);
	double step = x < 128 ? 32 : 128;

	return (int64_t)(step * floor(x / step + 0.5));
}

/* Append N_RANDOM sizes that the seed decides, alternately uniform and
 * logarithmic.
 */
static enum tool_exit draw_all(struct tool_bench_sizes *s, uint64_t seed)
{
	struct tool_bench_size size = { .count = 3 };
	int i, k;

	for (i = 0; i < N_RANDOM; i++) {
		for (k = 0; k < 3; k++)
			size.n[k] = draw(tool_random_bits(seed,
				(uint64_t)(3 * i + k)), i % 2 == 0);
		if (!tool_bench_size_add(s, &size))
			return no_memory();
	}
	return TOOL_OK;
}

/* Read the seed behind "random:", and draw the sizes.
 *
 * The same seed draws the same sizes.
 */
static enum tool_exit read_random(struct tool_bench_sizes *s,
	const char *text)
{
	char *end;
	unsigned long long seed;

	errno = 0;
	seed = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return draw_all(s, seed);
	tool_message(MSG_USAGE_VALUE, "sizes", "a file, or random:SEED", text,
		"", "");
	return TOOL_USAGE;
}

/* No list at all is right: forms have their own. */
enum tool_exit tool_bench_sizes_read(struct tool_bench_sizes *s,
	const struct tool_options *o)
{
	struct tool_source src;
	enum tool_exit status;

	if (!o->sizes)
		return TOOL_OK;
	if (!strncmp(o->sizes, "random:", 7))
		return read_random(s, o->sizes + 7);
	status = tool_source_read(&src, o->sizes,
		TOOL_MOST_TEXT);
	if (status != TOOL_OK)
		return status;
	status = read_text(s, src.name, src.text);
	tool_source_free(&src);
	return status;
}

/* May be called for an empty list. */
void tool_bench_sizes_free(struct tool_bench_sizes *s)
{
	free(s->item);
	*s = (struct tool_bench_sizes){ 0 };
}

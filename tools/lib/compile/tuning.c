/* The database of --tuning: what a search (cetane tune) has found best, as text
 * that people review and merge. After the line "cetane-tuning 1" a line is a
 * result:
 *
 *	NAME PROGRAM SIZES ARCH DEVICE VERSION MS MODEL-MS FACT.. : LINE; LINE
 *	gemm-nn 4f0c2a77b1d3e590 M=512,N=512,K=512 sm_90a NVIDIA_H200 0.1.0 \
 *	0.0149 0.0152 mhz=1980 spread=0.4% : parts C 2; kernel C_part thread 8 16 \
 *	tile 64 64 32
 *
 * and "#" begins a comment. The facts tell how sure the times are, for those who review
 * them: the clock of the GPU, and how far samples were apart; lines may lack them. PROGRAM is a hash of the program as it is lowered,
 * without what does not matter: its name, where its lines stand, the values of
 * sizes. LINEs are those of a configuration (polyir/tune/config.c), whose kernels
 * go without the name of the program in front.
 *
 * A result is for a class of sizes: those nearer to its own than to those of
 * other results, each within a quarter of its, multiples of 4 where its is.
 * Lines of another version of the compiler are not used: it might do otherwise
 * today. Whatever is wrong with a line, the model takes its place.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/tuning.h"

static const char head[] = "cetane-tuning 1";
/* How much larger or smaller a size may be than the one that was tuned for. */
static const double CLASS_WIDTH = 1.25;

/* ------------------------------------------------------------- the program */

/* Add "line" of the text of a program without what does not matter. */
static void add_plain(struct poly_str *out, const char *line, size_t len)
{
	size_t n = len, i;

	if (!strncmp(line, "program ", 8) || !strncmp(line, "cetane-poly", 11))
		return;
	for (i = 0; i + 5 < len; i++)
		if (!strncmp(line + i, " loc ", 5))
			n = i;
	if (!strncmp(line, "param ", 6) && memchr(line, '=', n))
		n = (size_t)((const char *)memchr(line, '=', n) - line) - 1;
	poly_str_addn(out, line, n);
	poly_str_add(out, "\n");
}

bool tool_tuning_hash(struct poly_prog *prog, char hash[TOOL_TUNING_HASH])
{
	struct poly_str all = { 0 }, plain = { 0 };
	const char *line, *end;
	char text[65];
	bool ok;

	poly_print(prog, &all);
	for (line = all.s; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		add_plain(&plain, line, (size_t)(end - line));
	}
	ok = !all.failed && !plain.failed && plain.s;
	if (ok) {
		tool_sha256(plain.s, plain.len, text);
		snprintf(hash, TOOL_TUNING_HASH, "%.16s", text);
	}
	poly_str_free(&all);
	poly_str_free(&plain);
	return ok;
}

/* ----------------------------------------------------------------- reading */

/* The words of a result in front of its configuration. */
enum { NAME, PROGRAM, SIZES, ARCH, DEVICE, VERSION, MS, MODEL_MS, N_WORD };

static bool read_time(const char *word, double *ms)
{
	char *end;

	*ms = strtod(word, &end);
	return end != word && !*end && *ms > 0;
}

/* Read a word "mhz=NUMBER" or "spread=NUMBER%"; false if it is neither. */
static bool read_fact(const char *word, struct tool_tuned *r)
{
	bool mhz = !strncmp(word, "mhz=", 4);
	char *end;
	double value;

	if (!mhz && strncmp(word, "spread=", 7))
		return false;
	word += mhz ? 4 : 7;
	value = strtod(word, &end);
	if (end == word || strcmp(end, mhz ? "" : "%") || !(value >= 0))
		return false;
	if (mhz)
		r->mhz = value;
	else
		r->spread = value / 100;
	return true;
}

/* Split "line", which is changed, into "r"; NULL, or what is wrong. */
static const char *read_result(char *line, struct tool_tuned *r)
{
	char *config = strstr(line, " : "), *save, *word[N_WORD] = { NULL };
	char *fact;
	int i;

	if (!config)
		return "it has no configuration behind \" : \"";
	*config = '\0';
	r->config = config + 3;
	for (i = 0; i < N_WORD; i++) {
		word[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!word[i])
			return "it does not have eight words and a "
				"configuration";
	}
	while ((fact = strtok_r(NULL, " ", &save)))
		if (!read_fact(fact, r))
			return "behind its eight words stands neither "
				"mhz=NUMBER nor spread=NUMBER%";
	r->name = word[NAME];
	r->program = word[PROGRAM];
	r->sizes = word[SIZES];
	r->arch = word[ARCH];
	r->device = word[DEVICE];
	r->version = word[VERSION];
	if (strlen(r->program) != TOOL_TUNING_HASH - 1)
		return "its second word is no hash of a program";
	if (!nvptx_target_find(r->arch))
		return "its fourth word is no architecture";
	if (!read_time(word[MS], &r->ms) ||
	    !read_time(word[MODEL_MS], &r->model_ms))
		return "its times are no numbers above 0";
	return NULL;
}

/* Add the result on line "number" of the database. A comment is none; one that
 * is wrong is a warning. TOOL_ENVIRONMENT, reported, without memory.
 */
static enum tool_exit add_line(struct tool_tuning *t, char *line, int number,
	struct poly_report *report)
{
	struct tool_tuned r = { .line = number }, *more;
	const char *why;

	line[strcspn(line, "#\r")] = '\0';
	line += strspn(line, " \t");
	if (!*line)
		return TOOL_OK;
	why = read_result(line, &r);
	if (why) {
		poly_report_add(report, MSG_TUNING_LINE, NULL, t->path, number,
			why);
		return TOOL_OK;
	}
	more = realloc(t->item, (size_t)(t->n + 1) * sizeof(*more));
	if (!more) {
		poly_report_add(report, MSG_NO_MEMORY, NULL, "the results");
		return TOOL_ENVIRONMENT;
	}
	t->item = more;
	t->item[t->n++] = r;
	return TOOL_OK;
}

/* True if the first line that is no comment is the head; "*rest" is what is
 * behind it, "*number" the number of its line.
 */
static bool read_head(char *text, char **rest, int *number)
{
	size_t len;

	for (*number = 1; *text; ++*number) {
		len = strcspn(text, "\n");
		*rest = text + len + (text[len] == '\n');
		if (text[0] != '#' && strspn(text, " \t\r") < len)
			return !strncmp(text, head, sizeof(head) - 1) &&
				strspn(text + sizeof(head) - 1, " \t\r") ==
				len - (sizeof(head) - 1);
		text = *rest;
	}
	return false;
}

enum tool_exit tool_tuning_read(struct tool_tuning *t, const char *path,
	struct poly_report *report)
{
	enum tool_exit status = tool_source_read_file(&t->file, path,
		TOOL_MOST_TEXT);
	char *line, *next;
	int number = 0;

	t->path = path;
	if (status != TOOL_OK)
		return status;
	if (strlen(t->file.text) != t->file.len ||
	    !read_head(t->file.text, &line, &number)) {
		poly_report_add(report, MSG_TUNING_FILE, NULL, path, head);
		return TOOL_INPUT;
	}
	for (; *line && status == TOOL_OK; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		status = add_line(t, line, ++number, report);
	}
	return status;
}

void tool_tuning_free(struct tool_tuning *t)
{
	free(t->item);
	tool_source_free(&t->file);
	*t = (struct tool_tuning){ 0 };
}

/* ----------------------------------------------------------------- finding */

/* The value that "sizes", "M=1,N=2", gives "name"; 0 if none. */
static int64_t size_of(const char *sizes, const char *name)
{
	size_t len = strlen(name);

	while (*sizes) {
		if (!strncmp(sizes, name, len) && sizes[len] == '=')
			return strtoll(sizes + len + 1, NULL, 10);
		sizes += strcspn(sizes, ",");
		sizes += *sizes == ',';
	}
	return 0;
}

/* How far the sizes of "prog" are from those of a result, 0: they are the same;
 * negative: they are in no class of its.
 */
static double distance(const struct poly_prog *prog, const char *sizes)
{
	double sum = 0, ratio;
	int64_t is, was;
	int i;

	for (i = 0; i < prog->n_param; i++) {
		is = prog->param[i].value;
		was = size_of(sizes, prog->param[i].name);
		if (!prog->param[i].fixed || was <= 0 || is <= 0 ||
		    (was % 4 == 0) != (is % 4 == 0))
			return -1;
		ratio = (double)is / (double)was;
		if (ratio > CLASS_WIDTH || ratio * CLASS_WIDTH < 1)
			return -1;
		sum += fabs(log(ratio));
	}
	return sum;
}

const struct tool_tuned *tool_tuning_find(const struct tool_tuning *t,
	struct poly_prog *prog, const char *arch, struct poly_report *report)
{
	const struct tool_tuned *best = NULL, *r;
	char hash[TOOL_TUNING_HASH];
	double least = INFINITY, d;
	int i;

	if (!tool_tuning_hash(prog, hash))
		return NULL;
	for (i = 0; i < t->n; i++) {
		r = &t->item[i];
		if (strcmp(r->program, hash) || strcmp(r->arch, arch))
			continue;
		d = distance(prog, r->sizes);
		if (d < 0 || d >= least)
			continue;
		if (strcmp(r->version, CETANE_VERSION)) {
			poly_report_add(report, MSG_TUNING_LINE, NULL, t->path,
				r->line, "another version of the compiler has "
				"made it");
			continue;
		}
		best = r;
		least = d;
	}
	return best;
}

/* ---------------------------------------------------------- configurations */

/* Add the "len" bytes of "line" with the name "from" in front of that of a
 * kernel replaced by "to".
 */
static void add_renamed(struct poly_str *out, const char *line, size_t len,
	const char *from, const char *to)
{
	size_t n = strlen(from);

	if (len > 7 && !strncmp(line, "kernel ", 7) &&
	    !strncmp(line + 7, from, n)) {
		poly_str_printf(out, "kernel %s", to);
		line += 7 + n;
		len -= 7 + n;
	}
	poly_str_addn(out, line, len);
}

/* "program_", which begins the names of kernels; owned by the caller. */
static char *prefix_of(const char *program)
{
	char *text;

	return asprintf(&text, "%s_", program) < 0 ? NULL : text;
}

bool tool_tuning_config(const struct tool_tuned *r, const char *program,
	struct poly_str *out)
{
	char *prefix = prefix_of(program);
	const char *line = r->config;
	size_t len;

	poly_str_add(out, "cetane-config 1\n");
	for (; prefix && *line; line += len + (line[len] == ';')) {
		line += strspn(line, " ");
		len = strcspn(line, ";");
		add_renamed(out, line, len, "", prefix);
		poly_str_add(out, "\n");
	}
	free(prefix);
	return prefix && !out->failed;
}

bool tool_tuning_shorten(const char *line, const char *program,
	struct poly_str *out)
{
	char *prefix = prefix_of(program);
	size_t len;

	for (; prefix && *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (out->len)
			poly_str_add(out, "; ");
		add_renamed(out, line, len, prefix, "");
	}
	free(prefix);
	return prefix && out->s && !out->failed;
}

/* ----------------------------------------------------------------- writing */

void tool_tuning_print_head(FILE *out)
{
	fprintf(out, "%s\n# name program sizes arch device version ms model's "
		"ms facts : configuration\n", head);
}

void tool_tuning_print(const struct tool_tuned *r, FILE *out)
{
	fprintf(out, "%s %s %s %s %s %s %.5g %.5g", r->name, r->program,
		r->sizes, r->arch, r->device, r->version, r->ms, r->model_ms);
	if (r->mhz > 0)
		fprintf(out, " mhz=%.0f", r->mhz);
	if (r->spread > 0)
		fprintf(out, " spread=%.2g%%", 100 * r->spread);
	fprintf(out, " : %s\n", r->config);
}

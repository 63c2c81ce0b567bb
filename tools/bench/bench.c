/* The verb bench: our programs against libraries on a GPU.
 *
 * Rows are laid out, their programs compiled (several at a time), libraries
 * opened; then each row runs by itself, and is printed and written as soon as
 * it is done. A signal or --limit ends the run behind the row that is being
 * measured; what is done is kept.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/bench/bench.h"
#include "tools/lib/compile/tuning.h"

/* Rounds of a row; times and size, in L2 caches, of the copy that memory is
 * measured by.
 */

static volatile sig_atomic_t stopped;

static void on_stop(int sig)
{
	(void)sig;
	stopped = 1;
}

bool tool_bench_stopped(void)
{
	return stopped;
}

/* A second signal ends us at once. */
static void catch_stop(void)
{
	struct sigaction a = { .sa_handler = on_stop,
		.sa_flags = (int)SA_RESETHAND | SA_RESTART };

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

double tool_bench_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tool_bench_progress(const char *what, int done, int n)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (what)
		fprintf(stderr, "\r\033[K[%d/%d] %s", done, n, what);
	else
		fprintf(stderr, "\r\033[K");
}

/* ---------------------------------------------------------------- folder */

/* Make the folder for compiled programs: that of --artifacts, which stays, or a
 * temporary one.
 */
static enum tool_exit make_folder(struct tool_bench *b)
{
	const char *base = getenv("TMPDIR");

	if (b->o->artifacts) {
		b->folder = strdup(b->o->artifacts);
		if (b->folder && mkdir(b->folder, 0777) < 0 &&
		    errno != EEXIST) {
			tool_message(MSG_FILE_WRITE, b->folder,
				strerror(errno));
			return TOOL_ENVIRONMENT;
		}
		return b->folder ? TOOL_OK : tool_no_memory("a name");
	}
	if (asprintf(&b->folder, "%s/cetane-bench-XXXXXX",
			base && *base ? base : "/tmp") < 0)
		b->folder = NULL;
	if (!b->folder || !mkdtemp(b->folder)) {
		tool_message(MSG_FILE_WRITE, b->folder ? b->folder :
			"a folder", strerror(errno));
		return TOOL_ENVIRONMENT;
	}
	b->own_folder = true;
	return TOOL_OK;
}

/* ------------------------------------------------------------------ rows */

/* Open the libraries that the rivals of the rows need. One that is not there is noted
 * in b->lacking, and is no fault.
 */
static enum tool_exit open_libraries(struct tool_bench *b)
{
	const char *const path[TOOL_N_LIBRARY] = { b->o->cublas,
		b->o->cublaslt, b->o->cudnn };
	unsigned needed = 0;
	enum tool_exit status = TOOL_OK;
	int i, k;

	for (i = 0; i < b->n_program && !b->o->against; i++)
		for (k = 0; k < TOOL_BENCH_N_BASE; k++)
			if (b->program[i].is_row)
				needed |= b->program[i].form->base[k].libraries;
	b->lib.gpu = &b->gpu;
	for (i = 0; i < TOOL_N_LIBRARY && status == TOOL_OK; i++) {
		if (!(needed >> i & 1))
			continue;
		status = tool_library_open(&b->lib, (enum tool_library)i,
			path[i]);
		b->lacking |= !b->lib.there[i];
	}
	return status;
}

/* Set how rows are timed: in short rounds, in bursts with idle time between
 * them, or after two seconds of warming up.
 */
/* True if the file of results has a row for each base of "p". */
static bool is_done(const struct tool_bench *b,
	const struct tool_bench_program *p)
{
	int i, n = 0;

	for (i = 0; i < b->n_result; i++)
		n += b->result[i].form == p->form &&
			tool_bench_same_size(&b->result[i].size, &p->size);
	return n >= tool_bench_bases(b, p->form);
}

/* The results from number "from" on, as they come. */
static bool show(const struct tool_bench *b, int from, FILE *journal)
{
	int i;

	tool_bench_progress(NULL, 0, 0);
	for (i = from; i < b->n_result; i++) {
		tool_bench_print_row(&b->result[i], stdout);
		if (journal)
			tool_bench_write_tsv_row(&b->result[i], journal);
	}
	fflush(stdout);
	return !journal || fflush(journal) == 0;
}

/* Keep the worst: wrong results before what could not run. */
static void keep(enum tool_exit *status, enum tool_exit one)
{
	if (one == TOOL_MISMATCH || *status == TOOL_OK)
		*status = one;
}

/* Run all rows that are not done and show each at once. A signal or --limit
 * leaves out those behind the present one. Returns the worst of what happened.
 */
static enum tool_exit run_rows(struct tool_bench *b, FILE *journal)
{
	double until = tool_bench_seconds() + b->o->limit;
	enum tool_exit status = b->lacking ? TOOL_ENVIRONMENT : TOOL_OK;
	int i, from, left = 0, n = 0;

	for (i = 0; i < b->n_program; i++) {
		if (!b->program[i].is_row || is_done(b, &b->program[i]))
			continue;
		n++;
		if (stopped || (b->o->limit > 0 &&
		    tool_bench_seconds() >= until)) {
			left++;
			continue;
		}
		from = b->n_result;
		tool_bench_progress(b->program[i].form->suite, i,
			b->n_program);
		keep(&status, tool_bench_row(b, &b->program[i]));
		if (!show(b, from, journal)) {
			tool_message(MSG_FILE_WRITE, b->o->resume,
				strerror(errno));
			return TOOL_ENVIRONMENT;
		}
	}
	if (left) {
		tool_message(MSG_BENCH_STOPPED, n - left, n);
		keep(&status, TOOL_LIMIT);
	}
	return status;
}

/* --------------------------------------------------------------- results */

/* Refuse outputs whose names do not tell which kind they are. */
static enum tool_exit check_outputs(const struct tool_options *o)
{
	const struct tool_list *list = &o->output_list;
	int i;

	for (i = 0; i < list->n; i++)
		if (!tool_ends_with(list->item[i], ".tsv") &&
		    !tool_ends_with(list->item[i], ".json") &&
		    !tool_ends_with(list->item[i], ".svg")) {
			tool_message(MSG_USAGE_VALUE, "output",
				"a file that ends in .tsv, .json or .svg",
				list->item[i], "", "");
			return TOOL_USAGE;
		}
	return TOOL_OK;
}

/* Write the results in the format that the name of the file tells. */
static void write_one(const void *user, const char *path, FILE *f)
{
	const struct tool_bench *b = user;
	int i;

	if (tool_ends_with(path, ".json")) {
		tool_bench_write_json(b, f);
	} else if (tool_ends_with(path, ".svg")) {
		tool_bench_write_svg(b, f);
	} else {
		tool_bench_write_tsv_head(b, f);
		for (i = 0; i < b->n_result; i++)
			tool_bench_write_tsv_row(&b->result[i], f);
	}
}

static void write_bars(const void *user, const char *path, FILE *f)
{
	const struct tool_bench *b = user;

	(void)path;
	tool_bench_bars(b->result, b->n_result, cetane_device_name(b->gpu.dev),
		f);
}

/* Write each output, up to the first that cannot be written. */
static enum tool_exit write_outputs(const struct tool_bench *b)
{
	const struct tool_list *list = &b->o->output_list;
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < list->n && status == TOOL_OK; i++)
		status = tool_write_output(list->item[i], write_one, b);
	if (status == TOOL_OK && b->o->svg_file)
		status = tool_write_output(b->o->svg_file, write_bars, b);
	return status;
}

/* ------------------------------------------------------------- the whole */

/* Read the file of results, and open it to go on. */
static enum tool_exit open_journal(struct tool_bench *b, FILE **journal)
{
	const char *path = b->o->resume;
	enum tool_exit status = TOOL_OK;
	bool there;

	if (!path)
		return TOOL_OK;
	there = access(path, F_OK) == 0;
	if (there)
		status = tool_bench_resume(b, path);
	if (status != TOOL_OK)
		return status;
	*journal = tool_output_append(path);
	if (!*journal)
		return TOOL_ENVIRONMENT;
	if (!there)
		tool_bench_write_tsv_head(b, *journal);
	return TOOL_OK;
}

/* Tells versions apart that have one number. */
static uint32_t hash_of_command(void)
{
	struct tool_source self;
	uint32_t hash;

	if (tool_source_read_file(&self, "/proc/self/exe",
			SIZE_MAX / 4) != TOOL_OK)
		return 0;
	hash = (uint32_t)tool_hash(0, self.text, self.len);
	tool_source_free(&self);
	return hash;
}

enum tool_exit tool_bench_begin(struct tool_bench *b)
{
	enum tool_exit status;

	b->timing = (struct tool_bench_timing){ .gpu = &b->gpu,
		.lib = &b->lib };
	tool_rounds_regime(&b->timing.r, b->o);
	b->build = hash_of_command();
	status = tool_bench_data_make(&b->data, (uint64_t)b->o->seed);
	return status == TOOL_OK ? tool_cuda_measure_copy(&b->gpu) : status;
}

/* Measure the rows of compiled programs: device and libraries, the rows,
 * summary and outputs. A failed row does not keep the outputs from being
 * written.
 */
static enum tool_exit measure(struct tool_bench *b)
{
	FILE *journal = NULL;
	enum tool_exit status = tool_bench_begin(b), written;

	if (status == TOOL_OK)
		status = open_libraries(b);
	if (status == TOOL_OK)
		status = open_journal(b, &journal);
	if (status != TOOL_OK)
		return status;
	tool_bench_print_facts(b, "", stdout);
	tool_bench_print_head(false, stdout);
	show(b, 0, NULL);
	status = run_rows(b, journal);
	if (journal)
		fclose(journal);
	tool_bench_print_summary(b, stdout);
	written = write_outputs(b);
	return written == TOOL_OK ? status : written;
}

/* The architecture: that of --arch, or of the device. */
static enum tool_exit choose_target(struct tool_bench *b)
{
	int capability = cetane_device_capability(b->gpu.dev);

	b->target = b->o->target ? b->o->target :
		tool_choose_target(capability);
	if (b->target)
		return TOOL_OK;
	tool_message(MSG_NO_TARGET, capability / 10, capability % 10);
	return TOOL_ENVIRONMENT;
}

enum tool_exit tool_bench_open(struct tool_bench *b)
{
	enum tool_exit status = tool_cuda_open(&b->gpu, b->o->gpu);

	if (status == TOOL_OK)
		status = choose_target(b);
	if (status == TOOL_OK)
		status = make_folder(b);
	catch_stop();
	return status;
}

/* Lay out the rows, compile their programs and measure them, or, with
 * --compile-only, stop there; that needs no device.
 */
static enum tool_exit run(struct tool_bench *b)
{
	bool only_compile = b->o->compile_only;
	enum tool_exit status, one;

	if (only_compile) {
		b->target = b->o->target ? b->o->target :
			nvptx_target_find("sm_90a");
		status = make_folder(b);
		catch_stop();
	} else {
		status = tool_bench_open(b);
	}
	if (status == TOOL_OK)
		status = tool_bench_plan(b);
	if (status != TOOL_OK)
		return status;
	status = tool_bench_compile(b->o, b->target, b->program, b->n_program,
		only_compile);
	if (stopped)
		tool_message(MSG_BENCH_STOPPED, 0, b->n_program);
	if (only_compile || stopped)
		return status;
	one = measure(b);
	return one == TOOL_OK ? status : one;
}

/* Print the rows, one a line. */
static void print_plan(const struct tool_bench *b)
{
	char size[96];
	int i;

	for (i = 0; i < b->n_program; i++) {
		if (!b->program[i].is_row)
			continue;
		tool_bench_size_text(&b->program[i].size, size, sizeof(size));
		printf("%s/%s %s\n", b->program[i].form->suite,
			b->program[i].form->name, size);
	}
}

/* Lay out the rows and print them; needs no device. */
static enum tool_exit list_rows(struct tool_bench *b)
{
	enum tool_exit status;

	b->target = b->o->target ? b->o->target :
		nvptx_target_find("sm_90a");
	b->folder = strdup("");
	status = b->folder ? tool_bench_plan(b) : TOOL_ENVIRONMENT;
	if (status == TOOL_OK)
		print_plan(b);
	return status;
}

void tool_bench_free(struct tool_bench *b)
{
	int i;

	for (i = 0; i < b->n_program; i++) {
		if (b->own_folder)
			unlink(b->program[i].path);
		free(b->program[i].path);
		free(b->program[i].other);
	}
	if (b->own_folder)
		rmdir(b->folder);
	if (b->pinned)
		b->gpu.host_free(b->pinned);
	tool_libraries_close(&b->lib);
	tool_bench_data_free(&b->data, &b->gpu);
	tool_cuda_close(&b->gpu);
	tool_bench_sizes_free(&b->sizes);
	free(b->program);
	free(b->result);
	free(b->folder);
}

/* What the table of options cannot say. */
static enum tool_exit check_options(const struct tool_options *o)
{
	if (strcmp(o->gpu, "cuda") && strncmp(o->gpu, "cuda:", 5)) {
		tool_message(MSG_USAGE_VALUE, "device", "cuda or cuda:N",
			o->gpu, "", "");
		return TOOL_USAGE;
	}
	if (o->compile_only && !o->artifacts) {
		tool_message(MSG_USAGE_CONFLICT,
			"--compile-only needs --artifacts");
		return TOOL_USAGE;
	}
	return check_outputs(o);
}

/* Set "*hash" to that of the file, which is never 0. */
static enum tool_exit hash_file(const char *path, uint64_t *hash)
{
	struct tool_source src;
	enum tool_exit status = tool_source_read_file(&src, path,
		TOOL_MOST_TEXT);

	if (status != TOOL_OK)
		return status;
	*hash = tool_hash(1, src.text, src.len) | 1;
	tool_source_free(&src);
	return TOOL_OK;
}

/* Read the file of --tuning, so that what is wrong with it is told once. */
static enum tool_exit read_tuning(struct tool_bench *b)
{
	const char *path = b->o->tuning;
	struct poly_report report = { 0 };
	struct tool_tuning t = { 0 };
	enum tool_exit status;

	if (!strcmp(path, "none"))
		return TOOL_OK;
	status = tool_tuning_read(&t, path, &report);
	tool_report_tell(&report);
	tool_tuning_free(&t);
	return status == TOOL_OK ? hash_file(path, &b->tuning) : status;
}

enum tool_exit tool_bench(struct tool_options *o)
{
	struct tool_bench b = { .o = o };
	enum tool_exit status = check_options(o);

	if (status == TOOL_OK)
		status = read_tuning(&b);
	if (status == TOOL_OK && o->config)
		status = hash_file(o->config, &b.config);
	if (status == TOOL_OK)
		status = tool_bench_check_suites(o->suite);
	if (status == TOOL_OK)
		status = tool_bench_sizes_read(&b.sizes, o);
	if (status == TOOL_OK)
		status = o->list ? list_rows(&b) : run(&b);
	tool_bench_free(&b);
	return status;
}

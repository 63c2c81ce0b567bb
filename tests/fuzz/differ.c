/* One program in all ways at once, for the differential tests.
 *
 * Lines on standard input are arguments of "cetane run": a file and options,
 * and perhaps a word CETANE_DEBUG=.., for this program alone.
 * Each is worked off in a process of its own, which reads the program once and
 * maps it once, and then
 *
 * - runs it on the host device with all checks, in several orders of blocks and
 *   threads, which must agree bit for bit (one with --fp=relaxed),
 * - compares the result with the interpreter, exactly where the order of
 *   operations is that of the text (C, --fp=strict --no-contract), else within
 *   the interpreter's bound,
 * - lowers the same mapping for the ring, runs it, and compares the bits with
 *   those of one thread in the original order (neither optimised by LLVM, which
 *   costs most of the time).
 *
 * Each step of one, such as its compilation, and each launch has 10 seconds of the
 * processor's time, or as many as $DIFFER_SECONDS says. A step that takes more is
 * given up, and the message says what it was; a launch that takes more is a
 * fault, as these programs are small: the answer is HANGS.
 *
 * With "--device=cuda" they run on that device instead, and in the ring. All are
 * worked off in this process then, since a context takes long to create. It
 * ends when a step or a launch has taken 60 seconds.
 *
 * The answer is a line "exit-code length", then "length" bytes: messages, and a
 * line "out NAME COUNT HASH" for each output (the hash of reference.h).
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/lib/compile/compile.h"
#include "tools/tools.h"

enum { N_ORDER = 3, SECONDS = 10, MOST_WORDS = 64, HANGS = 98, CRASH = 99 };
enum { DEVICE_SECONDS = 60 };

/* The device that all programs run on, held open; NULL: the host device. */
static struct cetane_device *gpu;
static const char *gpu_name;
static volatile sig_atomic_t launched;

/* What is being done, for when time runs out, and the seconds it has. */
static const char *volatile doing = "reading";
static rlim_t seconds = SECONDS;

/* Let what comes now have its time. */
static void start_clock(void)
{
	struct rlimit most = { 0, RLIM_INFINITY };
	struct rusage used;

	if (gpu) {
		alarm(DEVICE_SECONDS);
		return;
	}
	getrusage(RUSAGE_SELF, &used);
	most.rlim_cur = (rlim_t)used.ru_utime.tv_sec +
		(rlim_t)used.ru_stime.tv_sec + 1 + seconds;
	setrlimit(RLIMIT_CPU, &most);
}

static void step(const char *what)
{
	doing = what;
	start_clock();
}

static enum tool_exit launch(struct tool_exec *x)
{
	enum tool_exit status;

	start_clock();
	launched = 1;
	status = tool_exec_run(x);
	launched = 0;
	start_clock();
	return status;
}

/* One output of one run. */
struct result {
	void *data;
};

static bool is_exact(const struct tool_options *o)
{
	return tool_has_macros(o) && o->no_contract && o->fp_name &&
		o->fp == POLY_FP_STRICT;
}

/* ---------------------------------------------------------------- set-up */

static bool set_up_matrix(struct tool_run *r, struct tool_matrix *m,
	struct fe_matrix decl)
{
	m->name = decl.name;
	m->type = decl.type;
	m->n_dim = fe_interp_shape(r->interp, m->name, m->dim);
	m->n = tool_elements(m->n_dim, m->dim);
	m->data = calloc((size_t)m->n + 1,
		(size_t)poly_type_size(m->type));
	return m->data != NULL;
}

static bool set_up_sizes(struct tool_run *r)
{
	int64_t param[16];
	const char *name;
	int i, d;

	r->n_value = fe_unit_n_param(r->unit);
	r->value = calloc((size_t)r->n_value + 1, sizeof(*r->value));
	for (i = 0; i < r->n_value && i < 16; i++) {
		r->value[i].name = fe_unit_param(r->unit, i);
		name = fe_unit_param_text(r->unit, i);
		for (d = 0; d < r->o->n_define; d++)
			if (!strcmp(r->o->define[d].name, name))
				r->value[i].value = r->o->define[d].value;
		param[i] = r->value[i].value;
	}
	r->interp = fe_interp_alloc(r->unit, param);
	return r->interp != NULL;
}

static bool set_up(struct tool_run *r)
{
	int i, k;

	if (!set_up_sizes(r))
		return false;
	r->n_in = fe_unit_n_input(r->unit);
	r->n_out = fe_unit_n_output(r->unit);
	r->in = calloc((size_t)r->n_in + 1, sizeof(*r->in));
	r->out = calloc((size_t)r->n_out + 1, sizeof(*r->out));
	for (i = 0; i < r->n_in; i++) {
		if (!set_up_matrix(r, &r->in[i], fe_unit_input(r->unit, i)))
			return false;
		tool_fill_input(r, &r->in[i]);
		fe_interp_set_input(r->interp, r->in[i].name, r->in[i].data);
	}
	for (i = 0; i < r->n_out; i++) {
		if (!set_up_matrix(r, &r->out[i], fe_unit_output(r->unit, i)))
			return false;
		for (k = 0; k < r->n_in; k++)
			if (!strcmp(r->in[k].name, r->out[i].name))
				r->in[k].in_place = r->out[i].in_place = true;
	}
	return true;
}

/* --------------------------------------------------------------- running */

static int findings(struct cetane_device *dev)
{
	int n = cetane_device_capability(dev) ? 0 : cetane_host_findings(dev);
	int i;

	for (i = 0; i < n && cetane_host_finding(dev, i); i++)
		tool_message(MSG_RUN_FINDING, cetane_host_finding(dev, i));
	return n;
}

/* One launch over "poison"; the outputs come to r->out. */
static enum tool_exit run_once(struct tool_run *r, struct tool_exec *x,
	unsigned char poison)
{
	enum tool_exit status = tool_exec_poison(x, poison);
	int i, array;

	for (i = 0; i < r->n_in && status == TOOL_OK; i++) {
		array = tool_exec_find(x, r->in[i].name);
		if (array >= 0)
			status = tool_exec_upload(x, array, r->in[i].data);
	}
	if (status == TOOL_OK)
		status = launch(x);
	if (findings(x->dev))
		status = TOOL_MISMATCH;
	for (i = 0; i < r->n_out && status == TOOL_OK; i++)
		status = tool_exec_download(x, tool_exec_find(x,
			r->out[i].name), r->out[i].data);
	return status;
}

static void complain(const struct tool_matrix *m, int64_t i, double is,
	double want, const char *against)
{
	struct poly_str name = { 0 };
	int64_t at[FE_MAX_DIM];

	tool_index_of(m->n_dim, m->dim, i, at);
	poly_str_add(&name, m->name);
	tool_add_index(&name, m->n_dim, at);
	fprintf(stderr, "wrong: %s is %.17g, not %.17g as %s says\n",
		name.s ? name.s : m->name, is, want, against);
	poly_str_free(&name);
}

/* Compare r->out with "want", or keep it there if nothing is yet. */
static enum tool_exit compare(struct tool_run *r, struct result *want,
	const char *against)
{
	int i;
	int64_t e, size;

	for (i = 0; i < r->n_out; i++) {
		size = poly_type_size(r->out[i].type);
		if (!want[i].data) {
			want[i].data = malloc((size_t)(r->out[i].n * size) +
				1);
			memcpy(want[i].data, r->out[i].data,
				(size_t)(r->out[i].n * size));
			continue;
		}
		for (e = 0; e < r->out[i].n; e++) {
			if (!memcmp((char *)want[i].data + e * size,
				(char *)r->out[i].data + e * size,
				(size_t)size))
				continue;
			complain(&r->out[i], e, tool_get(r->out[i].type,
				r->out[i].data, e), tool_get(r->out[i].type,
				want[i].data, e), against);
			return TOOL_MISMATCH;
		}
	}
	return TOOL_OK;
}

/* Run what is compiled, on its device: with checks in some orders, or once
 * without.
 */
static enum tool_exit run_orders(struct tool_run *r, struct tool_compile *c,
	bool checked, int n_order, struct result *want, const char *against)
{
	const unsigned all = CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT |
		CETANE_CHECK_RACE;
	static const unsigned char poison[] = { 0xff, 0x5a, 0x7f };
	bool is_host = c->nvptx.device == NVPTX_HOST;
	struct cetane_device *dev = NULL;
	struct tool_exec x = { 0 };
	enum tool_exit status;
	int i;

	if (cetane_device_open(is_host ? "host" : gpu_name, &dev) != CETANE_OK)
		return TOOL_ENVIRONMENT;
	status = tool_exec_init(&x, dev, c, r->value, r->n_value, checked);
	for (i = 0; i < n_order && status == TOOL_OK; i++) {
		if (is_host)
			cetane_host_configure(dev, checked ? all : 0,
				(uint64_t)(r->o->host_seed + i));
		status = run_once(r, &x, poison[i % 3]);
		if (status == TOOL_OK)
			status = compare(r, want, against);
	}
	tool_exec_free(&x);
	return status;
}

/* ------------------------------------------------------------ interpreter */

/* True if element "i" may be what it is. */
static bool is_right(struct tool_run *r, const struct tool_matrix *m, int64_t i,
	const struct fe_value *v)
{
	double x = tool_get(m->type, m->data, i);

	if (!poly_type_is_float(m->type))
		return v->bound > 0 ||
			tool_get_int(m->type, m->data, i) == v->integer;
	if (is_exact(r->o))
		return x == v->exact || (isnan(x) && isnan(v->exact));
	return !isfinite(v->bound) || fabs(x - v->wide) <= v->bound ||
		x == v->wide || (isnan(x) && isnan(v->wide));
}

static enum tool_exit judge(struct tool_run *r)
{
	int64_t at[FE_MAX_DIM], e;
	struct fe_value v;
	int i;

	for (i = 0; i < r->n_out; i++)
		for (e = 0; e < r->out[i].n; e++) {
			tool_index_of(r->out[i].n_dim, r->out[i].dim, e, at);
			if (!fe_interp_eval(r->interp, r->out[i].name, at, &v))
				return TOOL_INTERNAL;
			if (is_right(r, &r->out[i], e, &v))
				continue;
			complain(&r->out[i], e, tool_get(r->out[i].type,
				r->out[i].data, e), is_exact(r->o) ? v.exact :
				v.wide, "the interpreter");
			return TOOL_MISMATCH;
		}
	return TOOL_OK;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		hash = (hash ^ *p++) * UINT64_C(0x100000001b3);
	return hash;
}

static void print_hashes(const struct tool_run *r)
{
	const struct tool_matrix *m;
	uint64_t hash;
	size_t size;
	int64_t e;

	for (m = r->out; m < r->out + r->n_out; m++) {
		hash = UINT64_C(0xcbf29ce484222325);
		size = (size_t)poly_type_size(m->type);
		for (e = 0; e < m->n; e++)
			if (poly_type_is_float(m->type) &&
			    isnan(tool_get(m->type, m->data, e)))
				hash = hash_bytes(hash, "nan", 3);
			else
				hash = hash_bytes(hash, (char *)m->data +
					(size_t)e * size, size);
		fprintf(stderr, "out %s %lld %016llx\n", m->name,
			(long long)m->n, (unsigned long long)hash);
	}
}

/* ------------------------------------------------------------------ trial */

/* Set up a compilation of the mapped program for the device. */
static void init_mapped(struct tool_run *r, struct tool_compile *c)
{
	tool_compile_init(c, r->o, &r->src, gpu ? NVPTX_GPU : NVPTX_HOST,
		gpu ? TOOL_STAGE_NVPTX_ASSEMBLE : TOOL_STAGE_NVPTX_JIT,
		r->unit);
	c->nvptx.checked = !gpu;
	c->ptx_will_do = true;
	if (gpu)
		c->nvptx.target = tool_choose_target(
			cetane_device_capability(gpu));
}

/* Compile for the ring and run on the device. */
static enum tool_exit run_ring_there(struct tool_run *r, struct result *want)
{
	struct tool_compile c;
	enum tool_exit status;

	init_mapped(r, &c);
	c.nvptx.ring = true;
	status = tool_compile(&c);
	if (status == TOOL_OK)
		status = run_orders(r, &c, false, N_ORDER, want,
			"one thread in the ring");
	return tool_compile_free(&c, status);
}

/* Lower the mapping of "c" for the ring and run it. */
static enum tool_exit run_ring(struct tool_run *r, struct tool_compile *c,
	struct result *want)
{
	struct tool_compile ring = *c;
	enum tool_exit status = TOOL_INTERNAL;

	ring.kernel = NULL;
	ring.report = (struct poly_report){ 0 };
	ring.nvptx.ring = true;
	ring.module = nvptx_lower(c->prog, &ring.nvptx, &ring.report);
	if (ring.module && nvptx_jit(ring.module, tool_host_symbol,
		tool_n_host_symbol, &ring.kernel, &ring.report) == isl_stat_ok)
		status = run_orders(r, &ring, true, N_ORDER, want,
			"one thread in the ring");
	tool_tell(r->src.name, r->src.text, r->src.len, &ring.report);
	nvptx_module_free(ring.module);
	return status;
}

/* One thread in the original order, in the ring. */
static enum tool_exit run_naive(struct tool_run *r, struct result *want)
{
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, r->o, &r->src, NVPTX_HOST,
		TOOL_STAGE_NVPTX_JIT, r->unit);
	c.poly = poly_options_default;
	c.poly.mapping = POLY_MAP_NAIVE;
	c.nvptx.ring = true;
	c.stages &= ~(1u << TOOL_STAGE_NVPTX_OPT);
	status = tool_compile(&c);
	if (status == TOOL_OK)
		status = run_orders(r, &c, false, 1, want, "itself");
	return tool_compile_free(&c, status);
}

static enum tool_exit run_all(struct tool_run *r, struct tool_compile *c)
{
	struct result *ieee = calloc((size_t)r->n_out + 1, sizeof(*ieee));
	struct result *ring = calloc((size_t)r->n_out + 1, sizeof(*ring));
	bool one_order = r->o->fp_name && r->o->fp == POLY_FP_RELAXED;
	enum tool_exit status;

	step("running");
	status = run_orders(r, c, !gpu, one_order ? 1 : N_ORDER, ieee,
		"another order of threads");
	step("interpreting");
	if (status == TOOL_OK)
		status = judge(r);
	if (status == TOOL_OK)
		print_hashes(r);
	step("one thread");
	if (status == TOOL_OK)
		status = run_naive(r, ring);
	step("the ring");
	if (status == TOOL_OK)
		status = gpu ? run_ring_there(r, ring) : run_ring(r, c, ring);
	return status;
}

static enum tool_exit try_unit(struct tool_run *r)
{
	struct tool_compile c;
	enum tool_exit status;

	step("compiling");
	init_mapped(r, &c);
	status = tool_compile(&c);
	if (status == TOOL_OK)
		status = run_all(r, &c);
	return tool_compile_free(&c, status);
}

static enum tool_exit try_program(struct tool_options *o)
{
	struct tool_run r = { .o = o };
	struct tool_compile front;
	enum tool_exit status = tool_source_read(&r.src, o->file,
		TOOL_MOST_TEXT);

	if (status != TOOL_OK)
		return status;
	tool_compile_init(&front, o, &r.src, NVPTX_HOST, TOOL_STAGE_FE_READ,
		NULL);
	status = tool_compile(&front);
	r.unit = front.unit;
	if (status == TOOL_OK)
		status = set_up(&r) ? try_unit(&r) : TOOL_INTERNAL;
	return status;
}

/* ----------------------------------------------------------------- serving */

/* The processor's time is up: say with what. */
static void on_late(int sig)
{
	(void)sig;
	if (write(STDERR_FILENO, doing, strlen(doing)) > 0)
		_exit(launched ? HANGS : TOOL_LIMIT);
	_exit(CRASH);
}

/* The next word of "line", NULL if there is none; the environment takes
 * CETANE_DEBUG=.. .
 */
static char *next_word(char *line)
{
	char *word = strtok(line, " \n");

	while (word && !strncmp(word, "CETANE_DEBUG=", 13)) {
		setenv("CETANE_DEBUG", word + 13, 1);
		word = strtok(NULL, " \n");
	}
	return word;
}

static int work(char *line)
{
	const char *more = getenv("DIFFER_SECONDS");
	char command[] = "cetane", verb[] = "run";
	char *argv[MOST_WORDS + 3] = { command, verb };
	struct tool_options o;
	bool done;
	int argc = 2;

	for (char *w = next_word(line); w && argc < MOST_WORDS;
	     w = next_word(NULL))
		argv[argc++] = w;
	if (more)
		seconds = strtoul(more, NULL, 10);
	if (!gpu)
		signal(SIGXCPU, on_late);
	step("reading");
	if (tool_options_parse(&o, argc, argv, &done) != TOOL_OK)
		return TOOL_USAGE;
	return (int)try_program(&o);
}

/* Everything that "fd" has to say, of "*len" bytes. */
static char *read_all(int fd, size_t *len)
{
	size_t cap = 4096;
	char *text = malloc(cap);
	ssize_t n;

	*len = 0;
	while ((n = read(fd, text + *len, cap - *len)) > 0 ||
	       (n < 0 && errno == EINTR)) {
		*len += n > 0 ? (size_t)n : 0;
		if (*len == cap)
			text = realloc(text, cap *= 2);
	}
	return text;
}

static void answer(int code, const char *text, size_t len)
{
	printf("%d %zu\n", code, len);
	fwrite(text, 1, len, stdout);
	fflush(stdout);
}

static void serve(char *line)
{
	int fd[2], status = 0;
	size_t len;
	char *text;
	pid_t pid;

	if (pipe(fd) < 0 || (pid = fork()) < 0)
		exit(TOOL_ENVIRONMENT);
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		_exit(work(line));
	}
	close(fd[1]);
	text = read_all(fd[0], &len);
	close(fd[0]);
	waitpid(pid, &status, 0);
	answer(WIFEXITED(status) ? WEXITSTATUS(status) :
		CRASH + WTERMSIG(status), text, len);
	free(text);
}

/* ---------------------------------------------------- serving on a device */

/* Time is up: say with what. */
static void on_alarm(int sig)
{
	char text[64] = "00 00\n";
	int code = launched ? HANGS : TOOL_LIMIT;
	size_t len = strlen(doing);

	(void)sig;
	text[0] = (char)('0' + code / 10);
	text[1] = (char)('0' + code % 10);
	text[3] = (char)('0' + len / 10);
	text[4] = (char)('0' + len % 10);
	memcpy(text + 6, doing, len);
	_exit(write(STDOUT_FILENO, text, 6 + len) < 0);
}

/* Work off "line" in this process; what is said goes to the file "said", whose
 * descriptor is that of standard error. False if that file cannot be had.
 */
static bool serve_here(char *line, FILE *said)
{
	size_t len;
	char *text;
	int code;

	rewind(said);
	if (ftruncate(STDERR_FILENO, 0) < 0)
		return false;
	unsetenv("CETANE_DEBUG");
	code = work(line);
	alarm(0);
	rewind(said);
	text = read_all(STDERR_FILENO, &len);
	answer(code, text, len);
	free(text);
	return true;
}

/* Work off all lines on the device "name". */
static int serve_device(const char *name)
{
	FILE *said = tmpfile();
	char *line = NULL;
	size_t cap = 0;

	gpu_name = name;
	if (!said || cetane_device_open(name, &gpu) != CETANE_OK) {
		fprintf(stderr, "%s: %s\n", name, cetane_last_error());
		return TOOL_ENVIRONMENT;
	}
	dup2(fileno(said), STDERR_FILENO);
	signal(SIGALRM, on_alarm);
	while (getline(&line, &cap, stdin) > 0 && serve_here(line, said))
		;
	free(line);
	cetane_device_close(gpu);
	fclose(said);
	return TOOL_OK;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t cap = 0;

	tool_keep_numbers();
	if (argc > 1 && !strncmp(argv[1], "--device=", 9))
		return serve_device(argv[1] + 9);
	while (getline(&line, &cap, stdin) > 0)
		serve(line);
	free(line);
	return 0;
}

/* Rivals in Python: a process with the function, which shares memory with us.
 *
 * FUNCTION(v) gets a dictionary: sizes as numbers, arrays by their names as NumPy
 * arrays, or, where there is no NumPy, as memoryviews of the same shape. It stores its
 * results in those of the outputs. All sets of arrays lie in one file in memory, which
 * both processes map. A call is timed in that process, without the way there.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/own/own.h"

/* Arrays begin at multiples of ALIGN. A reply has at most REPLY_MOST
 * characters.
 */
enum { ALIGN = 64, POISON = 0xff, REPLY_MOST = 400 };

/* "map" is the shared memory, with a set of arrays at each "stride". */
struct tool_python {
	pid_t pid;
	const char *name;
	FILE *to, *from;
	char *map;
	size_t stride, size;
	int fd;
};

/* Reads a description, then numbers of calls; answers seconds, or what went wrong.
 *
 * Given to "python3 -c". It answers "0" when the function has been found. What
 * the function prints goes to the standard error output: the reply has a pipe
 * of its own.
 */
static const char program[] =
"import importlib.util, json, mmap, os, sys, time, traceback\n"
"try:\n"
"    import numpy\n"
"except ImportError:\n"
"    numpy = None\n"
"about = json.loads(sys.stdin.readline())\n"
"reply = os.fdopen(about['reply'], 'w')\n"
"area = mmap.mmap(about['fd'], about['stride'] * about['sets'])\n"
"def view(a, at):\n"
"    if numpy:\n"
"        n = a['bytes'] // numpy.dtype(a['type']).itemsize\n"
"        return numpy.frombuffer(area, a['type'], n, at).reshape(a['shape'])\n"
"    part = memoryview(area)[at:at + a['bytes']]\n"
"    return part.cast(a['code'], a['shape']) if a['bytes'] else part\n"
"def values(i):\n"
"    v = dict(about['sizes'])\n"
"    for name, a in about['arrays'].items():\n"
"        v[name] = view(a, i * about['stride'] + a['at'])\n"
"    return v\n"
"def say(text):\n"
"    print(text, file=reply, flush=True)\n"
"try:\n"
"    sys.path.insert(0, os.path.dirname(os.path.abspath(about['file'])))\n"
"    spec = importlib.util.spec_from_file_location('rival', about['file'])\n"
"    module = importlib.util.module_from_spec(spec)\n"
"    spec.loader.exec_module(module)\n"
"    function = getattr(module, about['function'])\n"
"    sets = [values(i) for i in range(about['sets'])]\n"
"    say('0')\n"
"    for line in sys.stdin:\n"
"        calls = [sets[i % len(sets)] for i in range(int(line))]\n"
"        began = time.perf_counter_ns()\n"
"        for v in calls:\n"
"            function(v)\n"
"        say((time.perf_counter_ns() - began) / 1e6)\n"
"except BaseException as error:\n"
"    last = traceback.extract_tb(error.__traceback__)[-1]\n"
"    say('! %s: %s (%s, line %d)' % (type(error).__name__, str(error).split(\n"
"        chr(10))[0], os.path.basename(last.filename), last.lineno))\n";

/* ------------------------------------------------------------- description */

/* What Python calls a type: for NumPy, and for memoryviews.
 *
 * A float of 16 bits has no code for memoryviews: it comes as its bits.
 */
static const struct {
	enum poly_type type;
	const char *name, *code;
} types[] = {
	{ POLY_F64, "float64", "d" }, { POLY_F32, "float32", "f" },
	{ POLY_F16, "float16", "H" },
	{ POLY_I64, "int64", "q" }, { POLY_I32, "int32", "i" },
	{ POLY_I16, "int16", "h" }, { POLY_I8, "int8", "b" },
	{ POLY_U64, "uint64", "Q" }, { POLY_U32, "uint32", "I" },
	{ POLY_U16, "uint16", "H" }, { POLY_U8, "uint8", "B" },
	{ POLY_BOOL, "bool", "?" },
};
enum { N_TYPE = sizeof(types) / sizeof(types[0]) };

/* The row of "type". A type that NumPy has no name for, such as bf16, comes as its
 * bits: that row is the unsigned integer's of the same size.
 */
static int row_of(enum poly_type type)
{
	int i, k = 0;

	for (i = 0; i < N_TYPE; i++) {
		if (types[i].type == type)
			return i;
		if (poly_type_class(types[i].type) == POLY_CLASS_UINT &&
		    poly_type_size(types[i].type) == poly_type_size(type))
			k = i;
	}
	return k;
}

/*	"X": {"type": "float32", "code": "f", "bytes": 48, "at": 0, "shape": [3, 4]}
 */
static void describe_array(struct poly_str *s, const struct tool_own_array *a,
	size_t at)
{
	const struct tool_matrix *m = a->m;
	int k = row_of(m->type), i;

	tool_json_text(s, m->name);
	poly_str_printf(s, ": {\"type\": \"%s\", \"code\": \"%s\", "
		"\"bytes\": %lld, \"at\": %zu, \"shape\": [", types[k].name,
		types[k].code, (long long)a->bytes, at);
	for (i = 0; i < m->n_dim; i++)
		poly_str_printf(s, "%s%lld", i ? ", " : "",
			(long long)m->dim[i]);
	poly_str_add(s, "]}");
}

/* Where array "i" lies in its set; with the number of arrays, the size of a set.
 *
 * Each array takes more than its bytes, so that none is empty.
 */
static size_t place(const struct tool_own *w, int i)
{
	size_t at = 0;

	while (i-- > 0)
		at += ((size_t)w->array[i].bytes + ALIGN) / ALIGN * ALIGN;
	return at;
}

/* Write to "s" what the Python process must know, as one line of JSON: the function, the
 * file of the arrays and where each lies in it, and the sizes.
 *
 * Names may hold anything: they are written as JSON texts.
 */
static void describe(struct poly_str *s, const struct tool_python *p,
	const char *path, int reply, const struct tool_own *w)
{
	int i;

	poly_str_add(s, "{\"file\": ");
	tool_json_text(s, path);
	poly_str_add(s, ", \"function\": ");
	tool_json_text(s, p->name);
	poly_str_printf(s, ", \"fd\": %d, \"reply\": %d, \"sets\": %d, "
		"\"stride\": %zu, \"sizes\": {", p->fd, reply, w->n_set,
		p->stride);
	for (i = 0; i < w->r.n_value; i++) {
		poly_str_add(s, i ? ", " : "");
		tool_json_text(s, fe_unit_param_text(w->r.unit, i));
		poly_str_printf(s, ": %lld", (long long)w->r.value[i].value);
	}
	poly_str_add(s, "}, \"arrays\": {");
	for (i = 0; i < w->n_array; i++) {
		poly_str_add(s, i ? ", " : "");
		describe_array(s, &w->array[i], place(w, i));
	}
	poly_str_add(s, "}}\n");
}

/* ----------------------------------------------------------------- process */

/* The process runs as long as the rival is open. */

/* Dies with us. -B writes no files beside the user's. Exit code 127 means that
 * there is no python3.
 */
static void become_python(int in)
{
	char *argv[] = { (char *)(uintptr_t)"python3", (char *)(uintptr_t)"-B",
		(char *)(uintptr_t)"-c", (char *)(uintptr_t)program, NULL };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO,
			STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	_exit(127);
}

/* Start the process; false with errno.
 *
 * "reply" is the number of the pipe's end in the process; the end here is
 * p->from.
 */
static bool start(struct tool_python *p, int *reply)
{
	int to[2], from[2];

	if (pipe(to) < 0)
		return false;
	if (pipe(from) < 0) {
		close(to[0]);
		close(to[1]);
		return false;
	}
	/* Buffers are flushed before: the child would write them again. */
	fflush(NULL);
	p->pid = fork();
	if (p->pid == 0) {
		close(to[1]);
		close(from[0]);
		become_python(to[0]);
	}
	*reply = from[1];
	close(to[0]);
	close(from[1]);
	p->to = fdopen(to[1], "w");
	p->from = fdopen(from[0], "r");
	return p->pid > 0 && p->to && p->from;
}

/* Wait for an answer: a number, or a message.
 *
 * A message begins with "!". An end of the pipe means that the process has
 * ended.
 */
static enum tool_exit answer(struct tool_python *p, double *value)
{
	char line[REPLY_MOST];

	if (!fgets(line, sizeof(line), p->from)) {
		tool_message(MSG_BENCH_RIVAL, p->name, "python3 has ended, or "
			"is not there");
		return TOOL_ENVIRONMENT;
	}
	line[strcspn(line, "\n")] = '\0';
	if (*line == '!') {
		tool_message(MSG_BENCH_RIVAL, p->name, line + 2);
		return TOOL_INPUT;
	}
	*value = strtod(line, NULL);
	return TOOL_OK;
}

/* The memory that both have.
 *
 * A file in memory; the process inherits its number.
 */
static bool make_area(struct tool_python *p, const struct tool_own *w)
{
	p->stride = place(w, w->n_array);
	p->stride = p->stride ? p->stride : ALIGN;
	p->size = p->stride * (size_t)w->n_set;
	p->fd = memfd_create("arrays", 0);
	if (p->fd < 0 || ftruncate(p->fd, (off_t)p->size) < 0)
		return false;
	p->map = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED,
		p->fd, 0);
	if (p->map == MAP_FAILED)
		p->map = NULL;
	return p->map != NULL;
}

/* NULL, having reported. The process has read the file and found the function
 * when this returns.
 */
struct tool_python *tool_python_open(const char *path, const char *name,
	const struct tool_own *w)
{
	struct tool_python *p = calloc(1, sizeof(*p));
	struct poly_str about = { 0 };
	int reply = -1;
	bool ok;
	double zero;

	if (!p) {
		tool_no_memory("a rival");
		return NULL;
	}
	*p = (struct tool_python){ .name = name, .fd = -1 };
	ok = make_area(p, w) && start(p, &reply);
	if (ok) {
		/* The arrays are filled before the process looks at them. */
		tool_python_reset(p, w);
		describe(&about, p, path, reply, w);
		fputs(about.s ? about.s : "\n", p->to);
		fflush(p->to);
		ok = answer(p, &zero) == TOOL_OK;
	} else {
		tool_message(MSG_BENCH_RIVAL, name, strerror(errno));
	}
	poly_str_free(&about);
	if (!ok) {
		tool_python_close(p);
		return NULL;
	}
	return p;
}

/* "ms" is what the process measured. */
enum tool_exit tool_python_run(struct tool_python *p, int calls, double *ms)
{
	fprintf(p->to, "%d\n", calls);
	fflush(p->to);
	return answer(p, ms);
}

/* Closing its input ends the process; it is waited for. */
void tool_python_close(struct tool_python *p)
{
	if (p->to)
		fclose(p->to);
	if (p->from)
		fclose(p->from);
	if (p->pid > 0)
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (p->map)
		munmap(p->map, p->size);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

/* -------------------------------------------------------------------- data */

/* All sets begin alike: inputs as they are, outputs with the pattern. */
void tool_python_reset(struct tool_python *p, const struct tool_own *w)
{
	const struct tool_own_array *a;
	int set, i;

	for (set = 0; set < w->n_set; set++)
		for (i = 0; i < w->n_array; i++) {
			char *at = p->map + (size_t)set * p->stride +
				place(w, i);

			a = &w->array[i];
			if (i < w->r.n_in)
				memcpy(at, a->m->data, (size_t)a->bytes);
			else
				memset(at, POISON, (size_t)a->bytes);
		}
}

/* Outputs are read from the first set. */
void tool_python_fetch(const struct tool_python *p, struct tool_own *w)
{
	struct tool_run *r = &w->r;
	int i, k;

	for (k = 0; k < r->n_out; k++)
		for (i = 0; i < w->n_array; i++)
			if (!strcmp(w->array[i].m->name, r->out[k].name))
				memcpy(r->out[k].data, p->map + place(w, i),
					(size_t)w->array[i].bytes);
}

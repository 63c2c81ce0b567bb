/* A program in all ways: in several orders of blocks and threads, by the interpreter,
 * in the ring, and by one thread in the original order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "differ.h"

enum { N_ORDER = 3, DEVICE_SECONDS = 60 };

struct differ differ = { .doing = "reading", .seconds = 10 };

/* Let what comes now have its time. */
static void start_clock(void)
{
	struct rlimit most = { 0, RLIM_INFINITY };
	struct rusage used;

	if (differ.gpu) {
		alarm(DEVICE_SECONDS);
		return;
	}
	getrusage(RUSAGE_SELF, &used);
	most.rlim_cur = (rlim_t)used.ru_utime.tv_sec +
		(rlim_t)used.ru_stime.tv_sec + 1 + differ.seconds;
	setrlimit(RLIMIT_CPU, &most);
}

void differ_step(const char *what)
{
	differ.doing = what;
	start_clock();
}

static enum tool_exit launch(struct tool_exec *x)
{
	enum tool_exit status;

	start_clock();
	differ.launched = 1;
	status = tool_exec_run(x);
	differ.launched = 0;
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

	if (cetane_device_open(is_host ? "host" : differ.gpu_name, &dev) != CETANE_OK)
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
	tool_compile_init(c, r->o, &r->src, differ.gpu ? NVPTX_GPU : NVPTX_HOST,
		differ.gpu ? TOOL_STAGE_NVPTX_ASSEMBLE : TOOL_STAGE_NVPTX_JIT,
		r->unit);
	c->nvptx.checked = !differ.gpu;
	c->ptx_will_do = true;
	if (differ.gpu)
		c->nvptx.target = tool_choose_target(
			cetane_device_capability(differ.gpu));
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
		TOOL_N_HOST_SYMBOL, &ring.kernel, &ring.report) == isl_stat_ok)
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

	differ_step("running");
	status = run_orders(r, c, !differ.gpu, one_order ? 1 : N_ORDER, ieee,
		"another order of threads");
	differ_step("interpreting");
	if (status == TOOL_OK)
		status = judge(r);
	if (status == TOOL_OK)
		print_hashes(r);
	differ_step("one thread");
	if (status == TOOL_OK)
		status = run_naive(r, ring);
	differ_step("the ring");
	if (status == TOOL_OK)
		status = differ.gpu ? run_ring_there(r, ring) : run_ring(r, c, ring);
	return status;
}

static enum tool_exit try_unit(struct tool_run *r)
{
	struct tool_compile c;
	enum tool_exit status;

	differ_step("compiling");
	init_mapped(r, &c);
	status = tool_compile(&c);
	if (status == TOOL_OK)
		status = run_all(r, &c);
	return tool_compile_free(&c, status);
}

enum tool_exit differ_program(struct tool_options *o)
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

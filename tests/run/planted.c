/* Programs whose text is edited, lowered without the legality checks, and run on the
 * host device with all of its checks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "planted.h"
#include "tests/nvptx/plan_eval.h"

/* ----------------------------------------------------------------- programs */

void open_world(struct world *w)
{
	*w = (struct world){ .ctx = poly_ctx_alloc() };
	assert_non_null(w->ctx);
}

void close_world(struct world *w)
{
	poly_prog_free(w->prog);
	poly_report_free(&w->report);
	assert_true(poly_ctx_free(w->ctx));
}

static void assert_clean(const struct world *w)
{
	for (int i = 0; i < w->report.n_msg; i++)
		print_error("E%d: %s\n", w->report.msg[i].number,
			w->report.msg[i].text);
	assert_int_equal(w->report.n_msg, 0);
}

/* Compile "source" in the way of "o"; its text. */
struct poly_str compile_as(const char *source,
	const struct poly_options *o)
{
	struct poly_str text = { 0 };
	struct fe_unit *u;
	struct world w;

	open_world(&w);
	u = fe_read("test.dsl", source, strlen(source), NULL, 0, &w.report);
	assert_non_null(u);
	w.prog = fe_lower(u, w.ctx, &w.report);
	assert_non_null(w.prog);
	poly_compile(&w.prog, o);
	fe_unit_free(u);
	assert_clean(&w);
	poly_print(w.prog, &text);
	close_world(&w);
	return text;
}

struct poly_str compile(const char *source)
{
	return compile_as(source, &poly_options_default);
}

/* Compile "source" and edit it. */
struct poly_str broken(const char *source, const struct edit *edit,
	int n)
{
	struct poly_str text = compile(source);

	edit_text(&text, edit, n);
	return text;
}

/* ------------------------------------------------------------------ running */

/* The barrier that each thread of a block leaves out, of those that it comes to; 0 is the
 * first, -1 none; and how many each has come to.
 */
static struct {
	int without, n[1024];
} met;

static void meet(struct cetane_host_thread *t, uint32_t barrier)
{
	uint32_t at = t->tid[1] * t->ntid[0] + t->tid[0];

	assert_true(at < sizeof(met.n) / sizeof(met.n[0]));
	if (met.n[at]++ != met.without)
		cetane_host_barrier(t, barrier);
}

int run_without(struct host *h, int barrier, uint64_t seed)
{
	memset(met.n, 0, sizeof(met.n));
	met.without = barrier;
	run(h, CETANE_CHECK_RACE, seed);
	met.without = -1;
	return met.n[0];
}

#define HOST(name) { "cetane_host_" #name, (void *)cetane_host_##name },
static const struct nvptx_symbol symbols[] = {
#include "runtime/host_symbol.def"
};
#undef HOST

static void load(struct host *h, struct world *w)
{
	struct nvptx_options o = { .device = NVPTX_HOST, .checked = true };
	const char *name[MAX_ARRAY];
	const char *const *site;
	struct nvptx_symbol own[sizeof(symbols) / sizeof(symbols[0])];
	void **entry;
	int n_site;

	memcpy(own, symbols, sizeof(own));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(own[i].name, "cetane_host_barrier"))
			own[i].address = (void *)meet;
	met.without = -1;
	memset(met.n, 0, sizeof(met.n));

	h->module = nvptx_lower(w->prog, &o, &w->report);
	assert_clean(w);
	assert_int_equal(nvptx_opt(h->module, &w->report), isl_stat_ok);
	assert_int_equal(nvptx_jit(h->module, own,
		sizeof(symbols) / sizeof(symbols[0]), &entry, &w->report),
		isl_stat_ok);
	h->plan = nvptx_module_plan(h->module);
	site = nvptx_sites(h->module, &n_site);
	assert_true(h->plan->n_launch <= MAX_ARRAY);
	for (int i = 0; i < h->plan->n_launch; i++)
		name[i] = h->plan->launch[i].kernel;
	assert_int_equal(cetane_device_open("host", &h->dev), CETANE_OK);
	assert_int_equal(cetane_module_from_host(h->dev, name,
		(cetane_host_kernel *) entry, h->plan->n_launch, site, n_site,
		&h->code), CETANE_OK);
}

/* Small integers, of which sums of products are exact. */
static float element(int array, size_t i)
{
	return (float)((i * 7 + (size_t)array * 5) % 11) - 5;
}

/* Allocate the arrays anew, so that nothing counts as initialised but the
 * inputs.
 */
static void allocate(struct host *h)
{
	const struct nvptx_plan *p = h->plan;

	for (int i = 0; i < p->n_array; i++) {
		size_t bytes;

		h->n[i] = 1;
		for (int d = 0; d < p->array[i].n_dim; d++)
			h->n[i] *= (size_t)plan_eval(
				&p->array[i].extent[d], h->size);
		bytes = h->n[i] * sizeof(float);
		h->data[i] = calloc(h->n[i], sizeof(float));
		assert_non_null(h->data[i]);
		for (size_t k = 0; k < h->n[i]; k++)
			h->data[i][k] = element(i, k);
		assert_int_equal(cetane_malloc(h->dev, bytes, &h->at[i]),
			CETANE_OK);
		if (p->array[i].role == POLY_INPUT)
			assert_int_equal(cetane_copy_to_device(h->dev,
				h->at[i], h->data[i], bytes, NULL),
				CETANE_OK);
	}
}

static void launch(struct host *h, const struct nvptx_launch *l)
{
	const unsigned grid[3] = {
		(unsigned)plan_eval(&l->n[1], h->size),
		(unsigned)plan_eval(&l->n[0], h->size), 1 };
	const unsigned block[3] = { (unsigned)l->thread[1],
		(unsigned)l->thread[0], 1 };
	struct cetane_function *fn;
	size_t bytes[MAX_ARG];
	void *arg[MAX_ARG];
	cetane_ptr count = 0;

	assert_true(l->n_arg <= MAX_ARG);
	for (int i = 0; i < l->n_arg; i++) {
		arg[i] = l->arg[i].kind == NVPTX_ARG_SIZE ?
			(void *)&h->size[l->arg[i].index] :
			(void *)&h->at[l->arg[i].index];
		bytes[i] = 8;
		if (l->arg[i].kind == NVPTX_ARG_COUNT)
			count = h->at[l->arg[i].index];
	}
	assert_int_equal(cetane_module_function(h->code, l->kernel, &fn),
		CETANE_OK);
	assert_int_equal(cetane_function_set_args(fn, bytes, l->n_arg),
		CETANE_OK);
	if (count)
		assert_int_equal(cetane_rt_launch_together(fn, grid, block,
			(unsigned)l->shared_bytes, NULL, arg, count),
			CETANE_OK);
	else
		assert_int_equal(cetane_launch(fn, grid, block,
			(unsigned)l->shared_bytes, NULL, arg), CETANE_OK);
}

void release(struct host *h)
{
	for (int i = 0; i < h->plan->n_array; i++) {
		assert_int_equal(cetane_free(h->dev, h->at[i]), CETANE_OK);
		free(h->data[i]);
	}
}

/* Run all kernels with "checks" and "seed"; the findings stay with the device,
 * the outputs in h->data until "release".
 */
void run(struct host *h, unsigned checks, uint64_t seed)
{
	const struct nvptx_plan *p = h->plan;

	cetane_host_clear(h->dev);
	assert_int_equal(cetane_host_configure(h->dev, checks, seed),
		CETANE_OK);
	allocate(h);
	for (int i = 0; i < p->n_launch; i++)
		launch(h, &p->launch[i]);
	assert_int_equal(cetane_device_synchronize(h->dev), CETANE_OK);
	for (int i = 0; i < p->n_array; i++)
		if (p->array[i].role == POLY_OUTPUT)
			assert_int_equal(cetane_copy_from_device(h->dev,
				h->data[i], h->at[i],
				h->n[i] * sizeof(float), NULL), CETANE_OK);
	assert_int_equal(cetane_device_synchronize(h->dev), CETANE_OK);
}

void open_host(struct host *h, struct world *w,
	const struct poly_str *text)
{
	memset(h, 0, sizeof(*h));
	open_world(w);
	w->prog = edit_parse(w->ctx, text, &w->report);
	for (int i = 0; i < w->prog->n_param; i++)
		h->size[i] = w->prog->param[i].name[0] == 'M' ? M :
			w->prog->param[i].name[0] == 'K' ? K : N;
	load(h, w);
}

void close_host(struct host *h, struct world *w)
{
	cetane_module_unload(h->code);
	cetane_device_close(h->dev);
	nvptx_module_free(h->module);
	close_world(w);
}

/* Does a finding that begins with "kind" name "what"? */
bool finds(struct host *h, const char *kind, const char *what)
{
	int n = cetane_host_findings(h->dev);

	for (int i = 0; i < n && i < 64; i++) {
		const char *text = cetane_host_finding(h->dev, i);

		if (!strncmp(text, kind, strlen(kind)) && strstr(text, what))
			return true;
	}
	for (int i = 0; i < n && i < 64; i++)
		print_error("%s\n", cetane_host_finding(h->dev, i));
	return false;
}

const float *array(const struct host *h, const char *name)
{
	for (int i = 0; i < h->plan->n_array; i++)
		if (!strcmp(h->plan->array[i].name, name))
			return h->data[i];
	fail_msg("no array %s", name);
	return NULL;
}

/* Programs for tests of the lowering: builders and a runner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan_eval.h"
#include "program.h"

enum { MOST_ARRAY = 24 };

/* ---------------------------------------------------------------- building */

void unit_begin(struct unit *u, const char *name)
{
	memset(u, 0, sizeof(*u));
	u->ctx = poly_ctx_alloc();
	u->prog = poly_prog_alloc(u->ctx, name, &u->report);
	assert_non_null(u->prog);
	free(u->prog->file);
	u->prog->file = strdup("test.dsl");
}

void unit_end(struct unit *u)
{
	poly_prog_free(u->prog);
	poly_report_free(&u->report);
	assert_true(poly_ctx_free(u->ctx));
}

void unit_is_clean(struct unit *u)
{
	for (int i = 0; i < u->report.n_msg; i++)
		print_error("E%d: %s\n", u->report.msg[i].number,
			u->report.msg[i].text);
	assert_int_equal(u->report.n_msg, 0);
}

void param(struct unit *u, const char *name)
{
	assert_non_null(poly_prog_add_param(u->prog, name));
}

struct poly_array *array(struct unit *u, const char *name,
	enum poly_type type, enum poly_role role, const char *extent)
{
	struct poly_array *a = poly_prog_add_array(u->prog, name, type, role,
		poly_read_index(u->prog, extent));

	assert_non_null(a);
	return a;
}

struct poly_stmt *stmt(struct unit *u, const char *name, enum poly_kind kind,
	const char *domain)
{
	struct poly_stmt *s = poly_prog_add_stmt(u->prog, name, kind,
		poly_read_set(u->prog, domain));

	assert_non_null(s);
	s->loc = (struct poly_loc) { u->prog->n_stmt, 1, 1 };
	return s;
}

void writes(struct unit *u, struct poly_stmt *s, struct poly_array *a,
	const char *index, enum poly_op reduce, struct poly_expr *rhs)
{
	assert_non_null(rhs);
	poly_stmt_set_write(s, a, poly_read_index(u->prog, index), reduce,
		rhs);
}

struct poly_expr *reads(struct unit *u, struct poly_array *a,
	const char *index)
{
	return poly_expr_access(a, poly_read_index(u->prog, index));
}

void has_member(struct unit *u, struct poly_stmt *s, struct poly_stmt *member,
	const char *at)
{
	if (at)
		member->at = isl_multi_aff_read_from_str(u->ctx, at);
	poly_stmt_add_member(s, member);
}

struct poly_kernel *kernel(struct unit *u, bool tiled, const int thread[2],
	const int tile[2], int tile_k, const char *grid0, const char *grid1)
{
	struct poly_kernel *k = poly_prog_add_kernel(u->prog, "k");
	const char *const grid[2] = { grid0, grid1 };

	assert_non_null(k);
	k->tiled = tiled;
	k->tile_k = tile_k;
	for (int d = 0; d < 2; d++) {
		k->thread[d] = thread[d];
		k->tile[d] = tile[d];
		k->grid[d] = isl_pw_aff_read_from_str(u->ctx, grid[d]);
		assert_non_null(k->grid[d]);
	}
	return k;
}

void schedule(struct unit *u, const char *text)
{
	isl_schedule_free(u->prog->schedule);
	u->prog->schedule = isl_schedule_read_from_str(u->ctx, text);
	assert_non_null(u->prog->schedule);
}

/* ---------------------------------------------------------------- programs */

void naive_matmul(struct unit *u, enum poly_type type)
{
	static const int thread[2] = { 4, 4 };
	struct poly_array *a, *b, *c;
	struct poly_stmt *init, *mul;
	struct poly_expr *x, *y;

	unit_begin(u, "matmul");
	param(u, "M");
	param(u, "N");
	param(u, "K");
	a = array(u, "A", type, POLY_INPUT, "[M,K] -> { A[(M),(K)] }");
	b = array(u, "B", type, POLY_INPUT, "[K,N] -> { B[(K),(N)] }");
	c = array(u, "C", type, POLY_OUTPUT, "[M,N] -> { C[(M),(N)] }");
	init = stmt(u, "init", POLY_POINT,
		"[M,N] -> { init[i,j] : 0 <= i < M and 0 <= j < N }");
	writes(u, init, c, "{ init[i,j] -> C[(i),(j)] }", POLY_OP_NONE,
		poly_expr_const(type, 0));
	mul = stmt(u, "mul", POLY_POINT, "[M,N,K] -> { mul[i,j,k] : "
		"0 <= i < M and 0 <= j < N and 0 <= k < K }");
	x = reads(u, a, "{ mul[i,j,k] -> A[(i),(k)] }");
	y = reads(u, b, "{ mul[i,j,k] -> B[(k),(j)] }");
	writes(u, mul, c, "{ mul[i,j,k] -> C[(i),(j)] }", POLY_OP_ADD,
		poly_expr_op(POLY_OP_MUL, type, x, y));
	kernel(u, false, thread, thread, 0,
		"[M] -> { [(floor((M + 3)/4))] }",
		"[N] -> { [(floor((N + 3)/4))] }");
	schedule(u, "{ domain: \"[M,N,K] -> { "
		"init[i,j] : 0 <= i < M and 0 <= j < N; mul[i,j,k] : "
		"0 <= i < M and 0 <= j < N and 0 <= k < K }\", child: { "
		"mark: \"kernel:k\", child: { "
		"filter: \"[b0,b1,t0,t1] -> { "
		"init[4b0 + t0, 4b1 + t1] : 0 <= t0,t1 < 4; "
		"mul[4b0 + t0, 4b1 + t1, k] : 0 <= t0,t1 < 4 }\", "
		"child: { schedule: \"[{ init[i,j] -> [(i)]; mul[i,j,k] -> "
		"[(i)] }, { init[i,j] -> [(j)]; mul[i,j,k] -> [(j)] }]\", "
		"child: { sequence: [ { filter: \"{ init[i,j] }\" }, "
		"{ filter: \"{ mul[i,j,k] }\", child: { schedule: "
		"\"[{ mul[i,j,k] -> [(k)] }]\" } } ] } } } } }");
}

/* Sizes of a tiled matrix product. */
struct shape {
	int thread, tile, tile_k;
};

/* "format" with tile for $T and tile_k for $K. Valid until the next call but
 * three.
 */
static const char *sized(const struct shape *s, const char *format)
{
	static char ring[4][2048];
	static int next;
	char *out = ring[next++ % 4];
	size_t n = 0;

	for (const char *p = format; *p && n < 2000; p++)
		if (*p == '$')
			n += sprintf(out + n, "%d", *++p == 'T' ? s->tile :
				s->tile_k);
		else
			out[n++] = *p;
	out[n] = '\0';
	return out;
}

static void gemm_copies(struct unit *u, const struct shape *s,
	struct poly_array *a, struct poly_array *b, struct poly_array *as,
	struct poly_array *bs)
{
	static const char domain[] = "[M,N,K] -> { %s[t0,t1,tk] : "
		"0 <= $T t0 < M and 0 <= $T t1 < N and 0 <= $K tk < K }";
	struct poly_stmt *op, *point;
	char text[512];

	snprintf(text, sizeof(text), sized(s, domain), "copyA");
	op = stmt(u, "copyA", POLY_COPY, text);
	op->coalesce = 0;
	point = stmt(u, "loadA", POLY_POINT, sized(s, "[M,N,K] -> { "
		"loadA[t0,t1,tk,r,c] : 0 <= $T t0 < M and 0 <= $T t1 < N and "
		"0 <= $K tk < K and 0 <= r < $K and 0 <= c < $T }"));
	writes(u, point, as, "{ loadA[t0,t1,tk,r,c] -> As[(r),(c)] }",
		POLY_OP_NONE, reads(u, a, sized(s, "{ loadA[t0,t1,tk,r,c] -> "
		"A[($T t0 + c),($K tk + r)] }")));
	has_member(u, op, point, NULL);
	snprintf(text, sizeof(text), sized(s, domain), "copyB");
	op = stmt(u, "copyB", POLY_COPY, text);
	op->coalesce = 1;
	point = stmt(u, "loadB", POLY_POINT, sized(s, "[M,N,K] -> { "
		"loadB[t0,t1,tk,r,c] : 0 <= $T t0 < M and 0 <= $T t1 < N and "
		"0 <= $K tk < K and 0 <= r < $K and 0 <= c < $T }"));
	writes(u, point, bs, "{ loadB[t0,t1,tk,r,c] -> Bs[(r),(c)] }",
		POLY_OP_NONE, reads(u, b, sized(s, "{ loadB[t0,t1,tk,r,c] -> "
		"B[($K tk + r),($T t1 + c)] }")));
	has_member(u, op, point, NULL);
}

static void gemm_product(struct unit *u, const struct shape *s,
	struct poly_array *t, struct poly_array *a, struct poly_array *b,
	struct poly_array *as, struct poly_array *bs)
{
	struct poly_stmt *op, *mul;
	struct poly_expr *x, *y;

	op = stmt(u, "contract", POLY_CONTRACT, sized(s, "[M,N,K] -> { "
		"contract[t0,t1,tk] : 0 <= $T t0 < M and 0 <= $T t1 < N and "
		"0 <= $K tk < K }"));
	mul = stmt(u, "mul", POLY_POINT, "[M,N,K] -> { mul[i,j,k] : "
		"0 <= i < M and 0 <= j < N and 0 <= k < K }");
	x = poly_expr_cast(t->type, reads(u, a,
		"{ mul[i,j,k] -> A[(i),(k)] }"));
	y = poly_expr_cast(t->type, reads(u, b,
		"{ mul[i,j,k] -> B[(k),(j)] }"));
	writes(u, mul, t, "{ mul[i,j,k] -> T[(i),(j)] }", POLY_OP_ADD,
		poly_expr_op(POLY_OP_MUL, t->type, x, y));
	has_member(u, op, mul, "{ [p0,p1,pk] -> mul[(p0),(p1),(pk)] }");
	op->full = true;
	op->operand[0] = as;
	op->operand[1] = bs;
	op->operand_index[0] = poly_read_index(u->prog, sized(s,
		"{ mul[i,j,k] -> As[(k mod $K),(i mod $T)] }"));
	op->operand_index[1] = poly_read_index(u->prog, sized(s,
		"{ mul[i,j,k] -> Bs[(k mod $K),(j mod $T)] }"));
}

static void gemm_points(struct unit *u, const struct shape *s,
	struct poly_array *t, struct poly_array *bias, struct poly_array *c,
	enum gemm_flaw flaw)
{
	struct poly_stmt *op, *init, *out;
	struct poly_expr *x, *y;

	op = stmt(u, "start", POLY_GROUP, sized(s, "[M,N] -> { start[t0,t1] : "
		"0 <= $T t0 < M and 0 <= $T t1 < N }"));
	init = stmt(u, "init", POLY_POINT,
		"[M,N] -> { init[i,j] : 0 <= i < M and 0 <= j < N }");
	writes(u, init, t, "{ init[i,j] -> T[(i),(j)] }", POLY_OP_NONE,
		poly_expr_const(t->type, 0));
	has_member(u, op, init, "{ [p0,p1] -> init[(p0),(p1)] }");
	op = stmt(u, "finish", POLY_GROUP, sized(s, "[M,N] -> { "
		"finish[t0,t1] : 0 <= $T t0 < M and 0 <= $T t1 < N }"));
	out = stmt(u, "out", POLY_POINT,
		"[M,N] -> { out[i,j] : 0 <= i < M and 0 <= j < N }");
	x = reads(u, t, "{ out[i,j] -> T[(i),(j)] }");
	y = poly_expr_cast(t->type, reads(u, bias, flaw == GEMM_WRONG_INDEX ?
		"{ out[i,j] -> b[(0),(j + 1)] }" :
		"{ out[i,j] -> b[(0),(j)] }"));
	x = poly_expr_op(POLY_OP_ADD, t->type, x, y);
	x = poly_expr_op(POLY_OP_RELU, t->type, x, NULL);
	writes(u, out, c, "{ out[i,j] -> C[(i),(j)] }", POLY_OP_NONE,
		poly_expr_cast(c->type, x));
	has_member(u, op, out, "{ [p0,p1] -> out[(p0),(p1)] }");
}

/* Order within one step of the reduction, and the same with the barrier
 * between copies and product moved away.
 */
static const char *const steps[2][5] = {
	{ "copyA", "copyB", "full", "contract", "empty" },
	{ "full", "copyA", "copyB", "contract", "empty" },
};

static void gemm_domain(struct poly_str *text, const struct shape *s)
{
	for (int i = 0; i < 7; i++) {
		const char *name = i < 5 ? steps[0][i] :
			i == 5 ? "start" : "finish";

		poly_str_printf(text, "%s %s[t0,t1%s] : 0 <= %d t0 < M and "
			"0 <= %d t1 < N", i ? ";" : "", name,
			i < 5 ? ",tk" : "", s->tile, s->tile);
		if (i < 5)
			poly_str_printf(text, " and 0 <= %d tk < K", s->tile_k);
	}
}

static void gemm_loop(struct poly_str *text, enum gemm_flaw flaw)
{
	const char *const *step = steps[flaw == GEMM_NO_BARRIER];

	poly_str_add(text, "{ filter: \"{ ");
	for (int i = 0; i < 5; i++)
		poly_str_printf(text, "%s %s[t0,t1,tk]", i ? ";" : "",
			step[i]);
	poly_str_add(text, " }\", child: { schedule: \"[{ ");
	for (int i = 0; i < 5; i++)
		poly_str_printf(text, "%s %s[t0,t1,tk] -> [(tk)]",
			i ? ";" : "", step[i]);
	poly_str_add(text, " }]\", child: { sequence: [ ");
	for (int i = 0; i < 5; i++)
		poly_str_printf(text, "%s { filter: \"{ %s[t0,t1,tk] }\" }",
			i ? "," : "", step[i]);
	poly_str_add(text, " ] } } }");
}

static void gemm_tree(struct unit *u, const struct shape *s,
	enum gemm_flaw flaw)
{
	struct poly_str text = { 0 };

	poly_str_add(&text, "{ domain: \"[M,N,K] -> { ");
	gemm_domain(&text, s);
	poly_str_add(&text, " }\", child: { mark: \"kernel:k\", child: { "
		"filter: \"[b0,b1] -> { start[b0,b1]; "
		"finish[b0,b1]");
	for (int i = 0; i < 5; i++)
		poly_str_printf(&text, "; %s[b0,b1,tk]", steps[0][i]);
	poly_str_add(&text, " }\", child: { sequence: [ "
		"{ filter: \"{ start[t0,t1] }\" }, ");
	gemm_loop(&text, flaw);
	poly_str_add(&text, ", { filter: \"{ finish[t0,t1] }\" } ] } } } } }");
	schedule(u, text.s);
	poly_str_free(&text);
}

void gemm(struct unit *u, enum poly_type type, enum poly_type acc, bool large,
	enum gemm_flaw flaw)
{
	static const struct shape shapes[2] = { { 4, 8, 4 }, { 16, 64, 16 } };
	const struct shape *s = &shapes[large];
	const int thread[2] = { s->thread, s->thread };
	const int tile[2] = { s->tile, s->tile };
	struct poly_array *a, *b, *bias, *c, *t, *as, *bs;

	unit_begin(u, "gemm");
	param(u, "M");
	param(u, "N");
	param(u, "K");
	a = array(u, "A", type, POLY_INPUT, "[M,K] -> { A[(M),(K)] }");
	b = array(u, "B", type, POLY_INPUT, "[K,N] -> { B[(K),(N)] }");
	bias = array(u, "b", type, POLY_INPUT, "[N] -> { b[(1),(N)] }");
	c = array(u, "C", type, POLY_OUTPUT, "[M,N] -> { C[(M),(N)] }");
	t = array(u, "T", acc, POLY_TEMP, "[M,N] -> { T[(M),(N)] }");
	t->space = POLY_REGISTER;
	as = array(u, "As", type, POLY_TEMP, sized(s, "{ As[($K),($T)] }"));
	bs = array(u, "Bs", type, POLY_TEMP, sized(s, "{ Bs[($K),($T)] }"));
	as->space = bs->space = POLY_SHARED;
	as->row_pad = 1;
	gemm_points(u, s, t, bias, c, flaw);
	gemm_copies(u, s, a, b, as, bs);
	gemm_product(u, s, t, a, b, as, bs);
	stmt(u, "full", POLY_SYNC, sized(s, "[M,N,K] -> { full[t0,t1,tk] : "
		"0 <= $T t0 < M and 0 <= $T t1 < N and 0 <= $K tk < K }"));
	stmt(u, "empty", POLY_SYNC, sized(s, "[M,N,K] -> { empty[t0,t1,tk] : "
		"0 <= $T t0 < M and 0 <= $T t1 < N and 0 <= $K tk < K }"));
	kernel(u, true, thread, tile, s->tile_k, sized(s,
		"[M] -> { [(floor((M + $T - 1)/$T))] }"), sized(s,
		"[N] -> { [(floor((N + $T - 1)/$T))] }"));
	gemm_tree(u, s, flaw);
}

/* ----------------------------------------------------------------- running */

#define HOST(name) { "cetane_host_" #name, (void *)cetane_host_##name },
static const struct nvptx_symbol symbols[] = {
#include "runtime/host_symbol.def"
};
#undef HOST

void host_begin(struct host *h, struct unit *u, bool checked, bool wide)
{
	const struct nvptx_options o = {
		.device = NVPTX_HOST, .checked = checked, .wide = wide
	};

	host_begin_with(h, u, &o);
}

void host_begin_with(struct host *h, struct unit *u,
	const struct nvptx_options *o)
{
	const char *const *site;
	const char *name[8];
	void **entry;
	int n_site;

	h->module = nvptx_lower(u->prog, o, &u->report);
	unit_is_clean(u);
	assert_non_null(h->module);
	assert_int_equal(nvptx_opt(h->module, &u->report), isl_stat_ok);
	assert_int_equal(nvptx_jit(h->module, symbols,
		sizeof(symbols) / sizeof(symbols[0]), &entry, &u->report),
		isl_stat_ok);
	unit_is_clean(u);
	site = nvptx_sites(h->module, &n_site);
	for (int i = 0; i < nvptx_module_plan(h->module)->n_launch; i++)
		name[i] = nvptx_module_plan(h->module)->launch[i].kernel;
	assert_int_equal(cetane_device_open("host", &h->dev), 0);
	assert_int_equal(cetane_host_configure(h->dev, o->checked ?
		CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE :
		0, 1), 0);
	assert_int_equal(cetane_module_from_host(h->dev, name,
		(cetane_host_kernel *) entry,
		nvptx_module_plan(h->module)->n_launch, site, n_site,
		&h->code), 0);
}

void host_end(struct host *h)
{
	cetane_module_unload(h->code);
	cetane_device_close(h->dev);
	nvptx_module_free(h->module);
}

static size_t array_bytes(const struct nvptx_plan_array *a,
	const int64_t *value)
{
	size_t n = a->elem_bytes;

	for (int i = 0; i < a->n_dim; i++)
		n *= plan_eval(&a->extent[i], value);
	return n;
}

static enum cetane_status launch(struct host *h,
	const struct nvptx_launch *l, const int64_t *value, cetane_ptr *at)
{
	unsigned block[3] = { l->thread[1], l->thread[0], 1 };
	int64_t n0 = plan_eval(&l->n[0], value);
	int64_t n1 = plan_eval(&l->n[1], value);
	unsigned grid[3] = { n1, n0 < 65535 ? n0 : 65535,
		(n0 + 65534) / 65535 };
	struct cetane_function *fn;
	size_t size[MOST_ARRAY];
	void *arg[MOST_ARRAY];

	assert_int_equal(cetane_module_function(h->code, l->kernel, &fn), 0);
	for (int i = 0; i < l->n_arg; i++)
		arg[i] = l->arg[i].kind == NVPTX_ARG_SIZE ?
			(void *) &value[l->arg[i].index] :
			(void *) &at[l->arg[i].index];
	for (int i = 0; i < l->n_arg; i++)
		size[i] = 8;
	assert_int_equal(cetane_function_set_args(fn, size, l->n_arg), 0);
	if (n0 <= 0 || n1 <= 0)
		return CETANE_OK;
	return cetane_launch(fn, grid, block, l->shared_bytes, NULL, arg);
}

enum cetane_status host_run(struct host *h, const int64_t *value,
	void *const *data)
{
	const struct nvptx_plan *plan = nvptx_module_plan(h->module);
	enum cetane_status s = CETANE_OK;
	cetane_ptr at[MOST_ARRAY];
	size_t size[MOST_ARRAY];

	for (int i = 0; i < plan->n_array; i++) {
		size[i] = array_bytes(&plan->array[i], value);
		assert_int_equal(cetane_malloc(h->dev, size[i], &at[i]), 0);
		if (plan->array[i].role == POLY_INPUT)
			assert_int_equal(cetane_copy_to_device(h->dev, at[i],
				data[i], size[i], NULL), 0);
	}
	for (int i = 0; i < plan->n_launch && s == CETANE_OK; i++)
		s = launch(h, &plan->launch[i], value, at);
	if (s == CETANE_OK)
		s = cetane_device_synchronize(h->dev);
	for (int i = 0; i < plan->n_array; i++) {
		if (plan->array[i].role == POLY_OUTPUT && s == CETANE_OK)
			assert_int_equal(cetane_copy_from_device(h->dev,
				data[i], at[i], size[i], NULL), 0);
		assert_int_equal(cetane_device_synchronize(h->dev), 0);
		cetane_free(h->dev, at[i]);
	}
	return s;
}

struct nvptx_module *gpu_module(struct unit *u, const char *target)
{
	struct nvptx_options o = { .device = NVPTX_GPU, .comment = true };
	struct nvptx_module *m;

	o.target = nvptx_target_find(target);
	assert_non_null(o.target);
	m = nvptx_lower(u->prog, &o, &u->report);
	unit_is_clean(u);
	assert_non_null(m);
	return m;
}

struct poly_str gpu_text(struct unit *u, const char *target)
{
	struct nvptx_module *m = gpu_module(u, target);
	struct poly_str ptx = { 0 };

	assert_int_equal(nvptx_opt(m, &u->report), isl_stat_ok);
	assert_int_equal(nvptx_emit_ptx(m, &ptx, &u->report), isl_stat_ok);
	nvptx_module_free(m);
	return ptx;
}

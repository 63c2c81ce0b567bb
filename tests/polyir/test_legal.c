/* Check that the legality checks find illegal programs.
 *
 * Small programs are compiled and broken: their text is edited and read
 * again, so that what the checks see is as well-formed as what passes make.
 * Each fault names the check that has to find it, the number of the message,
 * and what the message has to say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "legal_faults.h"
#include "tests/polyir/read.h"
#include "frontend/frontend.h"

struct world {
	isl_ctx *ctx;
	struct poly_report report;
};

static void open_world(struct world *w)
{
	*w = (struct world){ .ctx = poly_ctx_alloc() };
	assert_non_null(w->ctx);
}

static void close_world(struct world *w)
{
	poly_report_free(&w->report);
	assert_true(poly_ctx_free(w->ctx));
}

static void print_messages(const struct poly_report *report)
{
	for (int i = 0; i < report->n_msg; i++)
		print_error("E%d: %s\n", report->msg[i].number,
			report->msg[i].text);
}

static struct poly_prog *lower(struct world *w, const char *file,
	const char *text)
{
	struct fe_unit *u = fe_read(file, text, strlen(text), NULL, 0,
		&w->report);
	struct poly_prog *prog = u ? fe_lower(u, w->ctx, &w->report) : NULL;

	fe_unit_free(u);
	if (!prog)
		print_messages(&w->report);
	assert_non_null(prog);
	return prog;
}

/* The text of a compiled program, which passes all checks; each program is
 * compiled once.
 */
struct compiled {
	const char *program;
	const char *stop;
	struct poly_str text;
};
static struct compiled known[17];

/* Sizes for which two products in a row are one kernel. */
static void fix_products(struct poly_prog *prog, struct poly_options *o)
{
	static const struct {
		const char *name;
		int size;
	} list[] = { { "M", 300 }, { "K", 96 }, { "H", 40 }, { "N", 24 } };

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		assert_int_equal(poly_prog_fix(prog, list[i].name,
			list[i].size), isl_stat_ok);
	o->target.shared_bytes = 116224;
	o->target.multiprocessors = 132;
	o->target.threads = 2048;
	o->target.blocks = 32;
	o->request.chains = true;
}

static void compile(struct compiled *c)
{
	struct poly_options o = poly_options_default;
	struct poly_prog *prog;
	struct world w;
	isl_stat ok;

	open_world(&w);
	prog = lower(&w, "test.dsl", c->program);
	o.stop_after = c->stop;
	if (!strncmp(c->program, "Params M, K, H, N;", 18))
		fix_products(prog, &o);
	ok = poly_compile(&prog, &o);
	print_messages(&w.report);
	assert_int_equal(ok, isl_stat_ok);
	assert_int_equal(poly_check(prog, "test"), isl_stat_ok);
	poly_print(prog, &c->text);
	poly_prog_free(prog);
	close_world(&w);
}

/* The text of "program", which may be text already. */
static const char *compiled_text(const char *program, const char *stop)
{
	struct compiled *c = known;

	if (!strncmp(program, "cetane-poly", strlen("cetane-poly")))
		return program;
	while (c->program && (c->program != program ||
			      c->stop != stop))
		c++;
	assert_true(c < known + 16);
	if (!c->program) {
		*c = (struct compiled){ program, stop, { 0 } };
		compile(c);
	}
	return c->text.s;
}

static int forget_texts(void **state)
{
	(void)state;
	for (struct compiled *c = known; c->program; c++)
		poly_str_free(&c->text);
	return 0;
}

/* Launches that do not depend on one another may run at one time. */
static void test_at_one_time(void **state)
{
	static const char *const program[] = { waves, shares };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct poly_str text = { 0 };
		struct poly_prog *prog;
		struct world w;

		open_world(&w);
		poly_str_add(&text, program[i]);
		prog = edit_parse(w.ctx, &text, &w.report);
		assert_int_equal(poly_check_order(prog, "test"), isl_stat_ok);
		assert_true(poly_prog_is_concurrent(prog));
		poly_prog_free(prog);
		poly_str_free(&text);
		close_world(&w);
	}
}

/* ------------------------------------------------------------------ faults */

/* A message names the pass that is to blame. */
static void check_message(const struct fault *f, const struct poly_report *r)
{
	const struct poly_message *m = &r->msg[0];
	bool good = r->n_msg == 1 && m->number == f->number &&
		strstr(m->text, "a_pass");

	for (int i = 0; i < 2; i++)
		good = good && (!f->says[i] || strstr(m->text, f->says[i]));
	if (good)
		return;
	print_messages(r);
	fail_msg("expected E%d with \"%s\" and \"%s\"", f->number, f->says[0],
		f->says[1] ? f->says[1] : "");
}

static void swap_seen(struct poly_seen **a, struct poly_seen **b)
{
	struct poly_seen *c = *a;

	*a = *b;
	*b = c;
}

/* Let the kernels of "broken" remember what the legal program showed. */
static void remember_legal(struct world *w, const struct fault *f,
	struct poly_prog *broken)
{
	const char *text = compiled_text(f->program, f->stop);
	struct poly_prog *prog = poly_parse(w->ctx, text, strlen(text),
		&w->report);

	assert_non_null(prog);
	assert_int_equal(poly_check(prog, "test"), isl_stat_ok);
	for (int i = 0; i < prog->n_kernel; i++) {
		struct poly_kernel *from = prog->kernel[i];
		struct poly_kernel *to = poly_prog_find_kernel(broken,
			from->name);

		assert_non_null(from->legal);
		if (!to)
			continue;
		swap_seen(&to->legal, &from->legal);
		swap_seen(&to->ordered, &from->ordered);
	}
	poly_prog_free(prog);
}

/* Break a legal program; the check must tell, and so must all together, also if
 * the kernels had been legal before.
 */
static void test_fault(void **state)
{
	const struct fault *f = *state;
	struct poly_str text = { 0 };
	struct poly_prog *prog;
	struct world w;

	open_world(&w);
	poly_str_add(&text, compiled_text(f->program, f->stop));
	edit_text(&text, f->edit, MAX_EDIT);
	prog = edit_parse(w.ctx, &text, &w.report);
	assert_int_equal(f->check(prog, "a_pass"), isl_stat_error);
	check_message(f, &w.report);
	assert_int_equal(poly_check(prog, "a_pass"), isl_stat_error);
	if (strncmp(f->program, "cetane-poly", strlen("cetane-poly"))) {
		remember_legal(&w, f, prog);
		assert_int_equal(poly_check(prog, "a_pass"), isl_stat_error);
	}
	poly_prog_free(prog);
	poly_str_free(&text);
	close_world(&w);
}

/* ------------------------------------------------------------------ memory */

static struct poly_stmt *stmt_of(struct poly_prog *prog, const char *name)
{
	struct poly_stmt *stmt = poly_prog_find_stmt(prog, name);

	assert_non_null(stmt);
	return stmt;
}

static void change_nothing(struct poly_prog *prog)
{
	(void)prog;
}

static void change_order(struct poly_prog *prog)
{
	stmt_of(prog, "y_add")->ordered = true;
}

static void change_steps(struct poly_prog *prog)
{
	stmt_of(prog, "y_add")->rhs->stride *= 2;
}

static void change_start(struct poly_prog *prog)
{
	stmt_of(prog, "y_add_begin")->rhs->value = 1;
}

static void change_scatter(struct poly_prog *prog)
{
	stmt_of(prog, "y_init")->write_array->scattered = true;
}

static void change_gather(struct poly_prog *prog)
{
	stmt_of(prog, "y_init")->write_array->gathered = true;
}

/* A kernel is what it was if nothing has changed; a change of any part is seen. */
static void test_memory(void **state)
{
	static void (*const change[])(struct poly_prog *) = { change_nothing,
		change_order, change_steps, change_start, change_scatter, change_gather };
	const char *text = compiled_text(spans, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
		struct poly_seen *before, *after;
		struct poly_prog *prog;
		struct world w;

		open_world(&w);
		prog = poly_parse(w.ctx, text, strlen(text), &w.report);
		assert_non_null(prog);
		assert_int_equal(prog->n_kernel, 1);
		before = poly_seen_kernel(prog, prog->kernel[0]);
		change[i](prog);
		after = poly_seen_kernel(prog, prog->kernel[0]);
		assert_int_equal(poly_seen_same(before, after), i == 0);
		poly_seen_free(before);
		poly_seen_free(after);
		poly_prog_free(prog);
		close_world(&w);
	}
}

/* ---------------------------------------------------------------- contracts */

/* A pass that lacks what it requires says so instead of running. */
static void test_contract(void **state)
{
	static const struct {
		const char *pass, *lacks;
	} rule[] = {
		{ "schedule", "dependences" },
		{ "map_points", "a schedule" },
		{ "map_tiles", "statements distributed over kernels" },
		{ "chain", "tile operations" },
		{ "promote_registers", "tile operations" },
		{ "promote_shared", "accumulators in registers" },
		{ "pipeline", "operands in shared memory" },
		{ "sync", "copies that run ahead" },
		{ "shrink", "barriers" },
	};
	struct poly_options o = poly_options_default;
	struct world w;

	(void)state;
	open_world(&w);
	for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++) {
		struct poly_prog *prog = lower(&w, "test.dsl", fig2);

		if (i == 1)
			assert_int_equal(poly_run(&prog, &o, "deps"),
				isl_stat_ok);
		assert_int_equal(poly_run(&prog, &o, rule[i].pass),
			isl_stat_error);
		assert_int_equal(w.report.n_msg, 1);
		assert_int_equal(w.report.msg[0].number, MSG_POLY_CONTRACT);
		assert_non_null(strstr(w.report.msg[0].text, rule[i].pass));
		assert_non_null(strstr(w.report.msg[0].text, rule[i].lacks));
		poly_report_free(&w.report);
		poly_prog_free(prog);
	}
	close_world(&w);
}

static void test_no_such_pass(void **state)
{
	struct poly_options o = poly_options_default;
	struct poly_prog *prog;
	struct world w;

	(void)state;
	open_world(&w);
	prog = lower(&w, "test.dsl", fig2);
	assert_int_equal(poly_run(&prog, &o, "polish"), isl_stat_error);
	assert_int_equal(w.report.msg[0].number, MSG_POLY_CONTRACT);
	poly_prog_free(prog);
	close_world(&w);
}

/* ------------------------------------------------------------------ cycles */

static struct poly_array *add_vector(struct poly_prog *prog, const char *name)
{
	struct poly_str s = { 0 };
	struct poly_array *a;

	poly_str_printf(&s, "[N] -> { %s[(N), (N)] }", name);
	a = poly_prog_add_array(prog, name, POLY_F32, POLY_OUTPUT,
		poly_read_index(prog, s.s));
	poly_str_free(&s);
	assert_non_null(a);
	return a;
}

/* "NAME: TO[i,j] = FROM[i,j]" */
static void add_copy(struct poly_prog *prog, const char *name,
	struct poly_array *to, struct poly_array *from)
{
	struct poly_str s = { 0 };
	struct poly_stmt *stmt;
	struct poly_expr *rhs;

	poly_str_printf(&s, "[N] -> { %s[i,j] : 0 <= i,j < N }", name);
	stmt = poly_prog_add_stmt(prog, name, POLY_POINT,
		poly_read_set(prog, s.s));
	poly_str_free(&s);
	poly_str_printf(&s, "{ %s[i,j] -> %s[(i),(j)] }", name, from->name);
	rhs = poly_expr_access(from, poly_read_index(prog, s.s));
	poly_str_free(&s);
	poly_str_printf(&s, "{ %s[i,j] -> %s[(i),(j)] }", name, to->name);
	poly_stmt_set_write(stmt, to, poly_read_index(prog, s.s),
		POLY_OP_NONE, rhs);
	poly_str_free(&s);
}

static void check_cycle(bool two)
{
	struct poly_array *x, *y;
	struct poly_prog *prog;
	struct world w;

	open_world(&w);
	prog = poly_prog_alloc(w.ctx, "cycle", &w.report);
	poly_prog_add_param(prog, "N");
	x = add_vector(prog, "X");
	y = two ? add_vector(prog, "Y") : x;
	add_copy(prog, "S", x, y);
	if (two)
		add_copy(prog, "T", y, x);
	assert_int_equal(poly_compile(&prog, &poly_options_default),
		isl_stat_error);
	assert_int_equal(w.report.n_msg, 1);
	assert_int_equal(w.report.msg[0].number, two ? MSG_POLY_NO_SCHEDULE :
		MSG_POLY_CYCLE);
	assert_true(two || strstr(w.report.msg[0].text, "S["));
	poly_prog_free(prog);
	close_world(&w);
}

static void test_cycle_of_one(void **state)
{
	(void)state;
	check_cycle(false);
}

static void test_cycle_of_two(void **state)
{
	(void)state;
	check_cycle(true);
}

#define ADD_FAULTS(list) \
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) \
		test[n++] = (struct CMUnitTest){ list[i].name, test_fault, \
			NULL, NULL, (void *)(uintptr_t)&list[i] }

int main(void)
{
	struct CMUnitTest test[96] = {
		cmocka_unit_test(test_at_one_time),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_contract),
		cmocka_unit_test(test_no_such_pass),
		cmocka_unit_test(test_cycle_of_one),
		cmocka_unit_test(test_cycle_of_two),
	};
	size_t n = 4;

	ADD_FAULTS(order_fault);
	ADD_FAULTS(place_fault);
	ADD_FAULTS(barrier_fault);
	ADD_FAULTS(pipeline_fault);
	ADD_FAULTS(chain_fault);
	ADD_FAULTS(copy_fault);
	return _cmocka_run_group_tests("polyir legal", test, n, NULL,
		forget_texts);
}

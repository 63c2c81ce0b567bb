/* The forms of the verb bench: their programs against their references.
 *
 * At small sizes the reference interpreter evaluates every element of every
 * output; the reference of the form must give the same value, and a bound that
 * is not smaller than what rounding can do, nor much larger.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tools/bench/bench.h"

/* Sizes that differ from one another, so that none stands for another. */
static const int64_t sizes[TOOL_BENCH_N_SIZE] = { 5, 7, 6, 3, 4, 2 };
enum { POOL = 1009, INPUTS_MOST = 8 };

/* A form as the interpreter sees it. */
struct subject {
	const struct tool_bench_form *form;
	struct tool_bench_data data;
	struct fe_unit *unit;
	struct fe_interp *interp;
	void *input[INPUTS_MOST];
	int n_array;
};

static int64_t elements(const int64_t *dim, int rank)
{
	int64_t n = 1;

	while (rank-- > 0)
		n *= dim[rank];
	return n;
}

/* Give the interpreter the inputs that a device would have. */
static void set_inputs(struct subject *s)
{
	int64_t dim[FE_MAX_DIM], n, i;
	char name[32];
	int k;

	for (k = 0; k < s->n_array - s->form->n_out; k++) {
		tool_bench_word(s->form->arrays, k, name, sizeof(name));
		n = elements(dim, fe_interp_shape(s->interp, name, dim));
		s->input[k] = malloc((size_t)n * sizeof(double));
		for (i = 0; i < n; i++)
			tool_set(s->form->is_f64 ? POLY_F64 : POLY_F32,
				s->input[k], i,
				tool_bench_element(&s->data, k, i));
		assert_true(fe_interp_set_input(s->interp, name,
			s->input[k]));
	}
}

static void begin(struct subject *s, const struct tool_bench_form *form)
{
	struct poly_report report = { 0 };
	int64_t param[TOOL_BENCH_N_SIZE];
	char name[32];
	int i, k;

	*s = (struct subject){ .form = form,
		.n_array = tool_bench_words(form->arrays) };
	s->data.n = POOL;
	s->data.value = malloc(POOL * sizeof(*s->data.value));
	for (i = 0; i < POOL; i++)
		s->data.value[i] = (float)sin(1.0 + i * i);
	s->unit = fe_read("form", form->text, strlen(form->text), NULL, 0,
		&report);
	assert_non_null(s->unit);
	assert_int_equal(fe_unit_n_param(s->unit),
		tool_bench_words(form->sizes));
	for (i = 0; i < fe_unit_n_param(s->unit); i++)
		for (k = 0; k < tool_bench_words(form->sizes); k++) {
			tool_bench_word(form->sizes, k, name, sizeof(name));
			if (!strcmp(name, fe_unit_param_text(s->unit, i)))
				param[i] = sizes[k];
		}
	s->interp = fe_interp_alloc(s->unit, param);
	assert_non_null(s->interp);
	set_inputs(s);
	poly_report_free(&report);
}

static void end(struct subject *s)
{
	int i;

	fe_interp_free(s->interp);
	fe_unit_free(s->unit);
	for (i = 0; i < INPUTS_MOST; i++)
		free(s->input[i]);
	free(s->data.value);
}

static void compare(const struct subject *s, int out, const char *name,
	int64_t i, const int64_t *at)
{
	double unit = s->form->is_f64 ? 0x1p-53 : 0x1p-24;
	struct tool_bench_value r;
	struct fe_value v;

	r = s->form->reference(&s->data, sizes, out, i);
	assert_true(fe_interp_eval(s->interp, name, at, &v));
	if (!(fabs(v.exact - r.value) <= r.bound + 1e-300) ||
	    !(fabs(v.wide - r.value) <= v.bound + 1e-300))
		fail_msg("%s %s: %s[%lld] is %.17g, the reference %.17g +- %g",
			s->form->suite, s->form->name, name, (long long)i,
			v.exact, r.value, r.bound);
	if (r.bound > 4000 * unit)
		fail_msg("%s %s: %s[%lld] has a bound of %g", s->form->suite,
			s->form->name, name, (long long)i, r.bound);
}

static void test_references(void **state)
{
	int64_t dim[FE_MAX_DIM], at[FE_MAX_DIM], i;
	struct subject s;
	char name[32];
	int f, out, rank;

	(void)state;
	for (f = 0; f < tool_bench_n_form; f++) {
		begin(&s, &tool_bench_form[f]);
		for (out = 0; out < s.form->n_out; out++) {
			tool_bench_word(s.form->arrays, s.n_array -
				s.form->n_out + out, name, sizeof(name));
			rank = fe_interp_shape(s.interp, name, dim);
			assert_true(rank >= 0);
			for (i = 0; i < elements(dim, rank); i++) {
				tool_index_of(rank, dim, i, at);
				compare(&s, out, name, i, at);
			}
		}
		end(&s);
	}
}

/* A form names bases and rivals that there are, and its sizes fit its list. */
static void test_table(void **state)
{
	const struct tool_bench_form *form;
	struct tool_bench_sizes list = { 0 };
	int f;

	(void)state;
	for (f = 0; f < tool_bench_n_form; f++) {
		form = &tool_bench_form[f];
		assert_ptr_equal(tool_bench_find(form->suite, form->name),
			form);
		assert_true(tool_bench_sizes_add(&list, form->list,
			tool_bench_words(form->sizes)));
		assert_true(list.n > 0);
		assert_non_null(form->base[0].name);
		assert_true(form->base[0].call || form->base[0].is_copy ||
			tool_bench_find(form->base[0].rival, "nn"));
		assert_true(!form->base[0].rival || form->issued);
		assert_true(form->start < tool_bench_words(form->arrays) -
			form->n_out);
		tool_bench_sizes_free(&list);
	}
	assert_null(tool_bench_find("gemm", "no"));
}

static void test_statistics(void **state)
{
	const double even[] = { 4, 1, 2, 3 };
	double ours[21], theirs[21], spread;
	int i;

	(void)state;
	assert_true(tool_bench_median(even, 4) == 2.5);
	assert_true(tool_bench_median(even, 3) == 2);
	for (i = 0; i < 21; i++) {
		ours[i] = 1 + i;
		theirs[i] = 2 * ours[i];
	}
	theirs[20] = 2.5 * ours[20];
	assert_true(tool_bench_ratio(theirs + 14, ours + 14, 7, &spread) == 2);
	assert_true(fabs(spread - 0.125) < 1e-12);
	assert_true(tool_bench_ratio(theirs, ours, 21, &spread) == 2);
	assert_true(spread == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

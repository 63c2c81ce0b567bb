/* Temporaries share bytes of the workspace, those alone that never hold something at
 * the same time. Random steps are run, each loop twice: what is between the first and
 * the last launch that has a temporary may not lie where another one does that is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/image/image.h"

enum { N_TEMP = 7, N_KERNEL = 6, MOST_STEP = 24, MOST_TRACE = 4096 };

static struct cetane_rt_op lengths[N_TEMP];
static struct cetane_rt_array temps[N_TEMP];
static struct cetane_rt_arg args[N_KERNEL][2];
static struct cetane_rt_kernel kernels[N_KERNEL];
static struct cetane_rt_step steps[MOST_STEP];
static struct cetane_rt_record record = { (char *) "shared", NULL, temps,
	kernels, NULL, steps, 0, N_TEMP, N_KERNEL, 0, 0, 0 };

/* Give kernel "k" the temporaries "a" and "b". */
static void set_kernel(int k, int a, int b)
{
	args[k][0] = (struct cetane_rt_arg) { .kind = CETANE_RT_ARG_ARRAY,
		.index = a };
	args[k][1] = (struct cetane_rt_arg) { .kind =
		b % 3 ? CETANE_RT_ARG_ARRAY : CETANE_RT_ARG_COUNT, .index = b };
	kernels[k] = (struct cetane_rt_kernel) { .name = (char *) "k",
		.arg = args[k], .n_arg = 2 };
}

/* Temporary "i" has "n" lines of the workspace. */
static void set_temp(int i, int n)
{
	lengths[i] = (struct cetane_rt_op) { CETANE_RT_CONST,
		n * CETANE_RT_WORK_ALIGN };
	temps[i] = (struct cetane_rt_array) { (char *) "t", (char *) "u8",
		CETANE_RT_TEMP, 1, 1, { { &lengths[i], 1 } }, 1, 0, 0,
		{ { NULL, 0 } } };
}

static void add_step(enum cetane_rt_kind_of_step kind, int index, int mate)
{
	steps[record.n_step++] = (struct cetane_rt_step) { .kind = kind,
		.index = index, .mate = mate };
}

/* Close what step "from" has begun. */
static void close_step(int from)
{
	steps[from].mate = record.n_step;
	add_step(CETANE_RT_END, 0, from);
}

static int64_t place(cetane_ptr at[N_TEMP])
{
	int64_t total = -1;

	assert_int_equal(cetane_rt_record_layout(&record, NULL, at, &total),
		CETANE_OK);
	return total / CETANE_RT_WORK_ALIGN;
}

static void begin(int n_temp)
{
	record.n_step = 0;
	record.n_array = n_temp;
	for (int i = 0; i < n_temp; i++)
		set_temp(i, 1 + i % 3);
}

/* A chain: each kernel reads what the one before has written. */
static void test_chain(void **state)
{
	cetane_ptr at[N_TEMP];

	(void) state;
	begin(5);
	for (int i = 0; i < 5; i++)
		set_temp(i, 2);
	for (int k = 0; k < 4; k++) {
		set_kernel(k, k, k + 1);
		add_step(CETANE_RT_LAUNCH, k, 0);
	}
	assert_int_equal(place(at), 4);
	assert_true(at[0] == at[2] && at[2] == at[4] && at[1] == at[3]);
	assert_true(at[0] != at[1]);
}

/* In a loop nothing ends: 0 is read again by the next round. */
static void test_loop(void **state)
{
	cetane_ptr at[N_TEMP];

	(void) state;
	begin(4);
	for (int i = 0; i < 4; i++)
		set_temp(i, 1);
	set_kernel(0, 0, 1);
	set_kernel(1, 1, 2);
	set_kernel(2, 3, 3);
	add_step(CETANE_RT_LOOP, 0, 0);
	add_step(CETANE_RT_LAUNCH, 0, 0);
	add_step(CETANE_RT_LAUNCH, 1, 0);
	close_step(0);
	add_step(CETANE_RT_LAUNCH, 2, 0);
	assert_int_equal(place(at), 3);
	assert_true(at[0] != at[2]);
	record.n_step = 0;
	add_step(CETANE_RT_LAUNCH, 0, 0);
	add_step(CETANE_RT_LAUNCH, 1, 0);
	assert_int_equal(place(at), 3);		/* 3 is in no step: always */
}

/* ------------------------------------------------------------------ random */

static unsigned seed;

static int any(int n)
{
	seed = seed * 1103515245u + 12345u;
	return (int) (seed >> 16) % n;
}

/* Steps with "depth" more loops and conditions inside of one another. */
static void add_random(int depth)
{
	for (int n = 1 + any(3); n > 0; n--) {
		int from = record.n_step;

		if (from > MOST_STEP - 4)
			return;
		if (depth == 0 || any(2)) {
			add_step(CETANE_RT_LAUNCH, any(N_KERNEL), 0);
			continue;
		}
		add_step(any(3) ? CETANE_RT_LOOP : CETANE_RT_IF, 0, 0);
		if (record.n_step < MOST_STEP - 4)
			add_random(depth - 1);
		close_step(from);
	}
}

/* The kernels that run, in order, each loop twice; returns their number. */
static int run_steps(int from, int to, int *trace, int n)
{
	for (int i = from; i < to; i++) {
		const struct cetane_rt_step *step = &steps[i];
		int rounds = step->kind == CETANE_RT_LOOP ? 2 : 1;

		if (step->kind == CETANE_RT_LAUNCH && n < MOST_TRACE)
			trace[n++] = step->index;
		if (step->kind == CETANE_RT_LAUNCH ||
		    step->kind == CETANE_RT_END)
			continue;
		while (rounds-- > 0)
			n = run_steps(i + 1, step->mate, trace, n);
		i = step->mate;
	}
	return n;
}

/* When temporary "t" is first and last an argument; false if it never is. */
static bool find_ends(const int *trace, int n, int t, int *first, int *last)
{
	*first = *last = -1;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 2; k++) {
			if (args[trace[i]][k].index != t)
				continue;
			*first = *first < 0 ? i : *first;
			*last = i;
		}
	return *first >= 0;
}

static void check_apart(const int *trace, int n, const cetane_ptr *at,
	int64_t total)
{
	for (int a = 0; a < N_TEMP; a++) {
		cetane_ptr end = at[a] + (cetane_ptr) lengths[a].value;
		int a0, a1, b0, b1;

		assert_true(end <= (cetane_ptr) total * CETANE_RT_WORK_ALIGN);
		if (!find_ends(trace, n, a, &a0, &a1))
			continue;
		for (int b = 0; b < a; b++)
			if (find_ends(trace, n, b, &b0, &b1) && a0 <= b1 &&
			    b0 <= a1)
				assert_true(end <= at[b] || at[b] +
					(cetane_ptr) lengths[b].value <=
					at[a]);
	}
}

static void test_random(void **state)
{
	int trace[MOST_TRACE], saved = 0;
	cetane_ptr at[N_TEMP];

	(void) state;
	for (int round = 0; round < 5000; round++) {
		int64_t all = 0, total;

		seed = (unsigned) round * 7919u + 1;
		begin(N_TEMP);
		for (int i = 0; i < N_TEMP; i++) {
			set_temp(i, any(5));
			all += lengths[i].value / CETANE_RT_WORK_ALIGN;
		}
		for (int k = 0; k < N_KERNEL; k++)
			set_kernel(k, any(N_TEMP), any(N_TEMP));
		add_random(2);
		total = place(at);
		assert_true(total <= all);
		saved += total < all;
		check_apart(trace, run_steps(0, record.n_step, trace, 0), at,
			total);
	}
	assert_true(saved > 1000);
}

/* Integers that inputs are filled with: each of the bounds among them, and nothing beyond. */
static void test_fill(void **state)
{
	static struct cetane_rt_array a = { .name = (char *) "a",
		.type = (char *) "i16", .elem_bytes = 2 };
	int16_t x[500];
	int seen[4] = { 0 };

	(void)state;
	cetane_rt_record_fill(&a, 0, 500, -2, 1, x);
	for (int i = 0; i < 500; i++) {
		assert_in_range(x[i] + 2, 0, 3);
		seen[x[i] + 2]++;
	}
	for (int k = 0; k < 4; k++)
		assert_true(seen[k] > 50);
	cetane_rt_record_fill(&a, 0, 500, 7, 7, x);
	for (int i = 0; i < 500; i++)
		assert_int_equal(x[i], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

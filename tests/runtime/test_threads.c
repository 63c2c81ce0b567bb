/* Load, launch and unload one program from 32 threads in four contexts at
 * once. This is built with the thread sanitizer, runtime and fake driver, too,
 * which reports what is not ordered; results and what is left are checked in
 * any case.
 */
#include <pthread.h>
#include <stdio.h>
#include "pair.h"
#include "rt_test.h"

enum { N_THREAD = 32, N_CONTEXT = 4, ROUNDS = 60 };

static const struct pair_image images[] = { { 80, false, true },
	{ 90, false, false } };

static struct cetane_program program;
static char context[N_CONTEXT];
static pthread_barrier_t start;

struct task {
	pthread_t thread;
	int id, wrong;		/* "wrong": calls and results that were */
	uint64_t random;
	int32_t a[PAIR_N], b[PAIR_N];
	_Alignas(256) char work[256];
};

static unsigned draw(struct task *t, unsigned below)
{
	t->random = t->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned) (t->random >> 40) % below;
}

static void launch(struct task *t)
{
	int i;

	t->a[0]++;
	t->wrong += pair_launch(&program, NULL, t->a, t->b, t->work, true) !=
		CETANE_OK;
	for (i = 0; i < PAIR_N; i++)
		t->wrong += t->b[i] != 2 * (t->a[i] + 1);
}

/* All threads launch at once what nobody has loaded. */
static void *first_launch(void *user)
{
	struct task *t = user;

	pair_fake->set_current(&context[t->id % N_CONTEXT]);
	pthread_barrier_wait(&start);
	launch(t);
	return NULL;
}

/* Each thread changes contexts and loads, launches and unloads as it likes. */
static void *mixed(void *user)
{
	struct task *t = user;
	int i;

	pthread_barrier_wait(&start);
	for (i = 0; i < ROUNDS; i++) {
		pair_fake->set_current(&context[draw(t, N_CONTEXT)]);
		switch (draw(t, 4)) {
		case 0:
			t->wrong += cetane_program_load(&program) != CETANE_OK;
			break;
		case 1:
			t->wrong += cetane_program_unload(&program) !=
				CETANE_OK;
			break;
		default:
			launch(t);
		}
	}
	return NULL;
}

/* Each thread has a device of its own and closes it with the program loaded.
 */
static void *devices(void *user)
{
	struct task *t = user;
	struct cetane_device *dev;
	int i;

	pthread_barrier_wait(&start);
	for (i = 0; i < ROUNDS / 6; i++) {
		if (cetane_device_open("cuda", &dev) != CETANE_OK) {
			t->wrong++;
			continue;
		}
		cetane_device_use(dev);
		launch(t);
		cetane_device_close(dev);
	}
	return NULL;
}

static void run_all(void *(*fn)(void *))
{
	struct task *task = calloc(N_THREAD, sizeof(*task));
	int i, k;

	pthread_barrier_init(&start, NULL, N_THREAD);
	for (i = 0; i < N_THREAD; i++) {
		task[i].id = i;
		task[i].random = i + 1;
		for (k = 0; k < PAIR_N; k++)
			task[i].a[k] = i * k;
		assert_int_equal(pthread_create(&task[i].thread, NULL, fn,
			&task[i]), 0);
	}
	for (i = 0; i < N_THREAD; i++) {
		pthread_join(task[i].thread, NULL);
		assert_int_equal(task[i].wrong, 0);
	}
	pthread_barrier_destroy(&start);
	free(task);
}

static void unload_all(void)
{
	int i;

	for (i = 0; i < N_CONTEXT; i++) {
		pair_fake->set_current(&context[i]);
		OK(cetane_program_unload(&program));
		assert_int_equal(pair_fake->end_context(&context[i]), 0);
	}
	pair_fake->set_current(NULL);
	assert_null(program.instance);
	assert_int_equal(pair_fake->modules, 0);
	assert_int_equal(pair_fake->pushed, 0);
	assert_int_equal(pair_fake->contexts, 0);
	assert_int_equal(pair_fake->orphans, 0);
	assert_int_equal(pair_fake->no_context, 0);
	assert_int_equal(pair_fake->misused, 0);
}

static void test_first_launches(void **state)
{
	int i;

	(void) state;
	for (i = 0; i < 5; i++) {
		run_all(first_launch);
		assert_int_equal(pair_fake->modules, N_CONTEXT);
		unload_all();
	}
}

static void test_mixed(void **state)
{
	(void) state;
	run_all(mixed);
	unload_all();
}

static void test_devices(void **state)
{
	(void) state;
	run_all(devices);
	unload_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_launches),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_devices)
	};
	int failed;

	if (!pair_open(FAKE_CUDA))
		return 1;
	pair_make(&program, images, 2);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	pair_drop(&program);
	return failed;
}

/* Check the order that streams and events give on the host device: work runs
 * when its own stream is waited for, and not before; failures end a stream's
 * work and reach who waits.
 */
#include <pthread.h>
#include "rt_test.h"

static void add_one(struct cetane_host_thread *t, void **args)
{
	int64_t *p = *(int64_t **) args[0];

	p[t->ctaid[0] * t->ntid[0] + t->tid[0]] += *(int64_t *) args[1];
}
static const struct rt_kernel kernel_add = { "add_one", add_one, 2 };

static void stuck(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (t->tid[0] == 0)
		cetane_host_barrier(t, 0);
}
static const struct rt_kernel kernel_stuck = { "stuck", stuck, 0 };

/* A device with two streams and one zeroed word of memory. */
struct bench {
	struct cetane_device *dev;
	struct cetane_stream *s[2];
	struct cetane_function *add, *stuck;
	cetane_ptr word;
	int64_t out;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->dev = rt_open(0, 0);
	OK(cetane_stream_create(b->dev, &b->s[0]));
	OK(cetane_stream_create(b->dev, &b->s[1]));
	b->add = rt_function(b->dev, &kernel_add, NULL, 0);
	b->stuck = rt_function(b->dev, &kernel_stuck, NULL, 0);
	OK(cetane_malloc(b->dev, 8, &b->word));
	OK(cetane_memset(b->dev, b->word, 0, 8, NULL));
	OK(cetane_device_synchronize(b->dev));
	b->out = -1;
	*state = b;
	return 0;
}

/* The module of a function, which the tests do not keep, is its first
 * member.
 */
static struct cetane_module *module_of(struct cetane_function *fn)
{
	return *(struct cetane_module **) fn;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	cetane_stream_destroy(b->s[0]);
	cetane_stream_destroy(b->s[1]);
	cetane_module_unload(module_of(b->add));
	cetane_module_unload(module_of(b->stuck));
	cetane_device_close(b->dev);
	free(b);
	return 0;
}

static enum cetane_status add(struct bench *b, int64_t n,
	struct cetane_stream *s)
{
	const unsigned one[3] = { 1, 1, 1 };
	cetane_ptr p = b->word;
	void *args[2] = { &p, &n };

	return cetane_launch(b->add, one, one, 0, s, args);
}

static enum cetane_status hang(struct bench *b, struct cetane_stream *s)
{
	const unsigned one[3] = { 1, 1, 1 }, two[3] = { 2, 1, 1 };

	return cetane_launch(b->stuck, one, two, 0, s, NULL);
}

static enum cetane_status fetch(struct bench *b, struct cetane_stream *s)
{
	return cetane_copy_from_device(b->dev, &b->out, b->word, 8, s);
}

static void test_deferred(void **state)
{
	struct bench *b = *state;

	OK(add(b, 1, b->s[0]));
	OK(add(b, 2, b->s[0]));
	OK(fetch(b, b->s[0]));
	assert_int_equal(b->out, -1);
	OK(cetane_stream_synchronize(b->dev, b->s[0]));
	assert_int_equal(b->out, 3);
}

/* Waiting for one stream runs no other: who launches on one and waits for
 * another sees stale memory.
 */
static void test_wrong_stream(void **state)
{
	struct bench *b = *state;

	OK(add(b, 5, b->s[0]));
	OK(fetch(b, b->s[1]));
	OK(cetane_stream_synchronize(b->dev, b->s[1]));
	assert_int_equal(b->out, 0);
	OK(fetch(b, NULL));
	OK(cetane_stream_synchronize(b->dev, NULL));
	assert_int_equal(b->out, 0);
	OK(cetane_stream_synchronize(b->dev, b->s[0]));
	OK(fetch(b, NULL));
	OK(cetane_stream_synchronize(b->dev, NULL));
	assert_int_equal(b->out, 5);
}

/* The source of a copy is read when the copy runs. */
static void test_source_in_use(void **state)
{
	struct bench *b = *state;
	int64_t src = 1;

	OK(cetane_copy_to_device(b->dev, b->word, &src, 8, b->s[0]));
	src = 2;
	OK(fetch(b, b->s[0]));
	OK(cetane_stream_synchronize(b->dev, b->s[0]));
	assert_int_equal(b->out, 2);
}

/* Arguments are copied by the launch. */
static void test_arguments_copied(void **state)
{
	const unsigned one[3] = { 1, 1, 1 };
	struct bench *b = *state;
	cetane_ptr p = b->word;
	int64_t n = 4;
	void *args[2] = { &p, &n };

	OK(cetane_launch(b->add, one, one, 0, NULL, args));
	n = 0;
	p = 0;
	args[0] = args[1] = NULL;
	OK(fetch(b, NULL));
	OK(cetane_stream_synchronize(b->dev, NULL));
	assert_int_equal(b->out, 4);
}

static void test_device_synchronize(void **state)
{
	struct bench *b = *state;

	OK(add(b, 1, b->s[0]));
	OK(add(b, 1, b->s[1]));
	OK(add(b, 1, NULL));
	OK(cetane_device_synchronize(b->dev));
	OK(fetch(b, NULL));
	OK(cetane_stream_synchronize(b->dev, NULL));
	assert_int_equal(b->out, 3);
}

/* An event runs its stream up to the mark and no further. */
static void test_event(void **state)
{
	struct bench *b = *state;
	struct cetane_event *e;

	OK(cetane_event_create(b->dev, &e));
	OK(cetane_event_synchronize(e));
	OK(add(b, 1, b->s[0]));
	OK(cetane_event_record(e, b->s[0]));
	OK(add(b, 10, b->s[0]));
	OK(cetane_event_synchronize(e));
	OK(fetch(b, NULL));
	OK(cetane_stream_synchronize(b->dev, NULL));
	assert_int_equal(b->out, 1);
	OK(cetane_event_record(e, b->s[0]));
	OK(add(b, 100, b->s[0]));
	OK(cetane_event_record(e, b->s[0]));
	OK(cetane_event_synchronize(e));
	OK(fetch(b, NULL));
	OK(cetane_stream_synchronize(b->dev, NULL));
	assert_int_equal(b->out, 111);
	OK(cetane_event_record(e, b->s[1]));
	cetane_event_destroy(e);
	OK(cetane_stream_synchronize(b->dev, b->s[1]));
}

/* Recording again moves the event; its former mark means nothing. */
static void test_event_moves(void **state)
{
	struct bench *b = *state;
	struct cetane_event *e;

	OK(cetane_event_create(b->dev, &e));
	OK(cetane_event_record(e, b->s[0]));
	OK(add(b, 1, b->s[1]));
	OK(cetane_event_record(e, b->s[1]));
	OK(cetane_stream_synchronize(b->dev, b->s[0]));
	OK(cetane_event_synchronize(e));
	OK(fetch(b, NULL));
	OK(cetane_stream_synchronize(b->dev, NULL));
	assert_int_equal(b->out, 1);
	cetane_event_destroy(e);
}

static void test_elapsed(void **state)
{
	struct bench *b = *state;
	struct cetane_event *e[2];
	float ms = -1;

	OK(cetane_event_create(b->dev, &e[0]));
	OK(cetane_event_create(b->dev, &e[1]));
	assert_int_equal(cetane_event_elapsed(e[0], e[1], &ms),
		CETANE_NOT_READY);
	OK(cetane_event_record(e[0], NULL));
	OK(add(b, 1, NULL));
	OK(cetane_event_record(e[1], NULL));
	assert_int_equal(cetane_event_elapsed(e[0], e[1], &ms),
		CETANE_NOT_READY);
	assert_true(ms == -1);
	OK(cetane_event_synchronize(e[1]));
	OK(cetane_event_elapsed(e[0], e[1], &ms));
	assert_true(ms > 0 && ms < 1e7f);
	cetane_event_destroy(e[0]);
	cetane_event_destroy(e[1]);
}

/* After a failure the rest of the stream is dropped, its events tell, and
 * the stream goes on with new work. Other streams are not touched.
 */
static void test_failure(void **state)
{
	struct bench *b = *state;
	struct cetane_event *e;

	OK(cetane_event_create(b->dev, &e));
	OK(add(b, 1, b->s[0]));
	OK(hang(b, b->s[0]));
	OK(add(b, 10, b->s[0]));
	OK(fetch(b, b->s[0]));
	OK(cetane_event_record(e, b->s[0]));
	OK(add(b, 100, b->s[1]));
	assert_int_equal(cetane_device_synchronize(b->dev), CETANE_DEADLOCK);
	HAS(cetane_last_error(), "stuck");
	assert_int_equal(b->out, -1);
	assert_int_equal(cetane_event_synchronize(e), CETANE_DEADLOCK);
	OK(fetch(b, b->s[0]));
	OK(cetane_stream_synchronize(b->dev, b->s[0]));
	assert_int_equal(b->out, 101);
	cetane_event_destroy(e);
}

/* Memory in use by queued work is not freed under it; the failure of that
 * work is told.
 */
static void test_free_waits(void **state)
{
	struct bench *b = *state;
	int64_t out = 0;
	cetane_ptr p;

	OK(cetane_malloc(b->dev, 8, &p));
	OK(cetane_memset(b->dev, p, 1, 8, b->s[0]));
	OK(cetane_copy_from_device(b->dev, &out, p, 8, b->s[0]));
	OK(cetane_free(b->dev, p));
	assert_int_equal(out, 0x0101010101010101);
	OK(cetane_malloc(b->dev, 8, &p));
	OK(hang(b, b->s[0]));
	assert_int_equal(cetane_free(b->dev, p), CETANE_DEADLOCK);
	assert_int_equal(cetane_free(b->dev, p), CETANE_INVALID_ADDRESS);
}

static void test_destroy_runs(void **state)
{
	struct bench *b = *state;
	struct cetane_stream *s;

	OK(cetane_stream_create(b->dev, &s));
	OK(add(b, 3, s));
	OK(fetch(b, s));
	cetane_stream_destroy(s);
	assert_int_equal(b->out, 3);
}

/* What is queued when a device is closed runs before its memory goes. */
static void test_close_runs(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	int64_t out = 0;
	cetane_ptr p;

	(void) state;
	OK(cetane_malloc(dev, 8, &p));
	OK(cetane_memset(dev, p, 1, 8, NULL));
	OK(cetane_copy_from_device(dev, &out, p, 8, NULL));
	cetane_device_close(dev);
	assert_int_equal(out, 0x0101010101010101);
}

static void test_foreign_stream(void **state)
{
	struct bench *b = *state;
	struct cetane_device *other = rt_open(0, 0);
	struct cetane_event *e;

	assert_int_equal(cetane_memset(other, 1, 0, 1, b->s[0]),
		CETANE_INVALID_VALUE);
	assert_int_equal(cetane_stream_synchronize(other, b->s[0]),
		CETANE_INVALID_VALUE);
	OK(cetane_event_create(other, &e));
	assert_int_equal(cetane_event_record(e, b->s[0]),
		CETANE_INVALID_VALUE);
	cetane_event_destroy(e);
	cetane_device_close(other);
}

/* Several OS threads, each with a stream of its own on one device. */
static void *add_many(void *arg)
{
	struct bench *b = arg;
	const unsigned grid[3] = { 8, 1, 1 }, block[3] = { 32, 1, 1 };
	struct cetane_stream *s;
	int64_t n = 1;
	cetane_ptr p;
	void *args[2] = { &p, &n };
	int64_t out[256];
	int i;

	if (cetane_stream_create(b->dev, &s) || cetane_malloc(b->dev,
		sizeof(out), &p) || cetane_memset(b->dev, p, 0, sizeof(out), s))
		return (void *) "set-up";
	for (i = 0; i < 50; i++)
		if (cetane_launch(b->add, grid, block, 0, s, args) ||
			cetane_stream_synchronize(b->dev, s))
			return (void *) "launch";
	if (cetane_copy_from_device(b->dev, out, p, sizeof(out), s) ||
		cetane_stream_synchronize(b->dev, s))
		return (void *) "copy";
	cetane_stream_destroy(s);
	for (i = 0; i < 256; i++)
		if (out[i] != 50)
			return (void *) "value";
	return cetane_free(b->dev, p) ? (void *) "free" : NULL;
}

static void test_threads(void **state)
{
	struct bench *b = *state;
	pthread_t thread[4];
	void *wrong;
	int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, add_many, b),
			0);
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &wrong);
		if (wrong)
			fail_msg("thread %d: %s", i, (char *) wrong);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_deferred),
		TEST(test_wrong_stream),
		TEST(test_source_in_use),
		TEST(test_arguments_copied),
		TEST(test_device_synchronize),
		TEST(test_event),
		TEST(test_event_moves),
		TEST(test_elapsed),
		TEST(test_failure),
		TEST(test_free_waits),
		TEST(test_destroy_runs),
		TEST(test_close_runs),
		TEST(test_foreign_stream),
		TEST(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Programs on arrays of the host: where they run, and that a call that fails
 * leaves nothing on the device and the caller's arrays as they were. The device
 * for those who chose none is chosen once a process, so each scene has its
 * own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "rt_test.h"
#include "pair.h"

static const struct pair_image images[] = { { 80, false, false }, { 0 } };

struct scene {
	struct cetane_program p;
	int32_t a[PAIR_N], b[PAIR_N];
};

static int call(struct scene *s)
{
	const int64_t size = PAIR_N;
	void *array[2] = { s->a, s->b };

	return cetane_program_call(&s->p, &size, array, 1, "");
}

static void begin(struct scene *s)
{
	int i;

	pair_make(&s->p, images, 2);
	for (i = 0; i < PAIR_N; i++) {
		s->a[i] = 3 * i;
		s->b[i] = -1;
	}
}

static bool is_done(const struct scene *s)
{
	int i;

	for (i = 0; i < PAIR_N; i++)
		if (s->b[i] != 2 * (3 * i + 1))
			return false;
	return true;
}

static bool is_untouched(const struct scene *s)
{
	int i;

	for (i = 0; i < PAIR_N; i++)
		if (s->b[i] != -1)
			return false;
	return true;
}

/* Run "fn" in a process of its own; it returns 0 if all is well, else the line
 * that says what is not.
 */
static void apart(int (*fn)(void))
{
	pid_t pid;
	int status = 0;

	setenv("FAKE_CUDA_CAPABILITY", "80", 1);
	pid = fork();
	if (pid == 0)
		_exit(fn());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define EXPECT(cond)					\
	do {						\
		if (!(cond))				\
			return __LINE__ & 127 ? __LINE__ & 127 : 1; \
	} while (0)

/* The first GPU, twice: it is opened once and stays open. */
static int first_gpu(void)
{
	struct scene s;

	EXPECT(pair_open(FAKE_CUDA));
	begin(&s);
	EXPECT(call(&s) == CETANE_OK && is_done(&s));
	EXPECT(pair_fake->launches == 2 && pair_fake->contexts == 1);
	EXPECT(pair_fake->allocations == 0);
	memset(s.b, 0xff, sizeof(s.b));
	EXPECT(call(&s) == CETANE_OK && is_done(&s));
	EXPECT(pair_fake->launches == 4 && pair_fake->contexts == 1);
	EXPECT(pair_fake->modules == 1 && pair_fake->allocations == 0);
	pair_drop(&s.p);
	return 0;
}

static int no_gpu(void)
{
	struct scene s;

	EXPECT(pair_open(FAKE_CUDA));
	pair_fake->device_count = 0;
	begin(&s);
	EXPECT(call(&s) == CETANE_OK && is_done(&s));
	EXPECT(pair_fake->launches == 0);
	pair_drop(&s.p);
	return 0;
}

static int no_driver(void)
{
	struct scene s;

	setenv("CETANE_DRIVER", "/no/such/driver", 1);
	begin(&s);
	EXPECT(call(&s) == CETANE_OK && is_done(&s));
	pair_drop(&s.p);
	return 0;
}

static int named(void)
{
	struct scene s;

	EXPECT(pair_open(FAKE_CUDA));
	begin(&s);
	setenv("CETANE_DEVICE", "abacus", 1);
	EXPECT(call(&s) == CETANE_INVALID_VALUE && is_untouched(&s));
	setenv("CETANE_DEVICE", "host", 1);
	EXPECT(call(&s) == CETANE_OK && is_done(&s));
	EXPECT(pair_fake->launches == 0);
	pair_drop(&s.p);
	return 0;
}

/* A current context and a device in use come before the default. */
static int placed(void)
{
	struct cetane_device *dev;
	struct scene s;

	EXPECT(pair_open(FAKE_CUDA));
	setenv("CETANE_DEVICE", "abacus", 1);
	begin(&s);
	pair_fake->current = &s;
	EXPECT(call(&s) == CETANE_OK && is_done(&s));
	EXPECT(pair_fake->launches == 2 && pair_fake->contexts == 0);
	EXPECT(cetane_device_open("host", &dev) == CETANE_OK);
	EXPECT(cetane_device_use(dev) == CETANE_OK);
	memset(s.b, 0xff, sizeof(s.b));
	EXPECT(call(&s) == CETANE_OK && is_done(&s));
	EXPECT(pair_fake->launches == 2);
	cetane_device_close(dev);
	EXPECT(cetane_program_unload(&s.p) == CETANE_OK);
	pair_drop(&s.p);
	return 0;
}

/* Each call of the driver fails in turn. */
static int failing(void)
{
	struct scene s;
	int k, r, left = 0;

	EXPECT(pair_open(FAKE_CUDA));
	begin(&s);
	pair_fake->current = &s;
	EXPECT(call(&s) == CETANE_OK);
	pair_fake->last = "";
	for (k = 1; pair_fake->last; k++) {
		EXPECT(k < 100);
		memset(s.b, 0xff, sizeof(s.b));
		pair_fake->fail_at = k;
		pair_fake->result = 2;
		pair_fake->last = NULL;
		r = call(&s);
		EXPECT(r ? *cetane_last_error() : is_done(&s));
		EXPECT(!r || is_untouched(&s) || is_done(&s));
		EXPECT(!is_untouched(&s) || pair_fake->allocations == left);
		left = pair_fake->allocations;
	}
	EXPECT(k > 30);
	pair_fake->fail_at = 0;
	EXPECT(cetane_program_unload(&s.p) == CETANE_OK);
	pair_drop(&s.p);
	return 0;
}

static int refused(void)
{
	int64_t size = PAIR_N;
	struct scene s;
	void *array[2] = { s.a, s.b };

	setenv("CETANE_DEVICE", "host", 1);
	begin(&s);
	EXPECT(cetane_program_call(&s.p, &size, array, 0, "{ : n > 50 }") ==
		CETANE_INVALID_VALUE);
	EXPECT(strstr(cetane_last_error(), "sizes with { : n > 50 }"));
	size = -1;
	EXPECT(cetane_program_call(&s.p, &size, array, 1, "") ==
		CETANE_INVALID_VALUE);
	size = PAIR_N;
	array[1] = s.a + 1;
	EXPECT(cetane_program_call(&s.p, &size, array, 1, "") ==
		CETANE_INVALID_VALUE);
	EXPECT(strstr(cetane_last_error(), "A and B overlap"));
	EXPECT(is_untouched(&s));
	size = 0;
	array[0] = array[1] = NULL;
	EXPECT(cetane_program_call(&s.p, &size, array, 1, "") == CETANE_OK);
	pair_drop(&s.p);
	return 0;
}

/* Arrays that are members of structures, beside members that stay. */
static int members(void)
{
	static const int64_t at_a = 8, at_b = 4;
	struct { char c; int32_t b, a, other; } both[PAIR_N];
	struct cetane_program_layout layout[2] = {
		{ sizeof(both[0]), 1, 0, &at_a },
		{ sizeof(both[0]), 1, 0, &at_b } };
	const int64_t size = PAIR_N;
	void *array[2] = { both, both };
	struct scene s;

	setenv("CETANE_DEVICE", "host", 1);
	begin(&s);
	memset(both, 7, sizeof(both));
	for (int i = 0; i < PAIR_N; i++)
		both[i].a = s.a[i];
	EXPECT(cetane_program_call_members(&s.p, &size, array, 1, "",
		layout) == CETANE_OK);
	for (int i = 0; i < PAIR_N; i++) {
		s.b[i] = both[i].b;
		EXPECT(both[i].a == s.a[i] && both[i].c == 7 &&
			both[i].other == 0x07070707);
	}
	EXPECT(is_done(&s));
	layout[1].of = 1;
	EXPECT(cetane_program_call_members(&s.p, &size, array, 1, "",
		layout) == CETANE_INVALID_VALUE);
	EXPECT(strstr(cetane_last_error(), "A and B overlap"));
	pair_drop(&s.p);
	return 0;
}

static void test_first_gpu(void **state)
{
	(void) state;
	apart(first_gpu);
}

static void test_no_gpu(void **state)
{
	(void) state;
	apart(no_gpu);
	apart(no_driver);
}

static void test_chosen(void **state)
{
	(void) state;
	apart(named);
	apart(placed);
}

static void test_failing(void **state)
{
	(void) state;
	apart(failing);
}

static void test_refused(void **state)
{
	(void) state;
	apart(refused);
}

static void test_members(void **state)
{
	(void) state;
	apart(members);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_gpu),
		cmocka_unit_test(test_no_gpu),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_failing),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_members)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

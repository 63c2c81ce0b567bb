/* Refuse each request of the library for memory of the host, on a fake GPU
 * and in programs of objects: the call says so, nothing stays behind, and the
 * next attempt works. That the sweep reaches every place that asks is checked
 * by the places' addresses. The linker routes the requests here (--wrap).
 */
#include <stdio.h>
#include "pair.h"
#include "rt_test.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t one);
char *__real_strndup(const char *text, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t one);
char *__wrap_strndup(const char *text, size_t n);

enum { MAX_PLACE = 64 };

/* The request that is refused, counted down; 0: none. */
static int refused;
/* Return addresses of refused requests. */
static void *place[MAX_PLACE];
static int n_place;

static bool refuse(void *from)
{
	int i;

	if (!refused || --refused)
		return false;
	for (i = 0; i < n_place && place[i] != from; i++)
		;
	if (i == n_place && n_place < MAX_PLACE)
		place[n_place++] = from;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return refuse(__builtin_return_address(0)) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t one)
{
	return refuse(__builtin_return_address(0)) ? NULL :
		__real_calloc(n, one);
}

char *__wrap_strndup(const char *text, size_t n)
{
	return refuse(__builtin_return_address(0)) ? NULL :
		__real_strndup(text, n);
}

/* ------------------------------------------------------------------ scenes */

static const struct pair_image images[] = { { 90, false, false },
	{ 80, false, true }, { 0, false, false } };

static int32_t a[PAIR_N], b[PAIR_N];
static _Alignas(256) char work[256];

static int in_a_context(struct cetane_program *p)
{
	int64_t n = PAIR_N;
	int s;

	pair_fake->current = a;
	s = cetane_program_workspace(p, &n) < 0 ? CETANE_OUT_OF_MEMORY :
		pair_launch(p, NULL, a, b, work, true);
	if (s == CETANE_OK)
		assert_int_equal(b[3], 2 * (a[3] + 1));
	refused = 0;
	OK(cetane_program_unload(p));
	pair_fake->current = NULL;
	return s;
}

/* A GPU as a device: PTX without a NUL is copied. */
static int on_a_device(struct cetane_program *p)
{
	struct cetane_device *dev = NULL;
	struct cetane_module *mod = NULL;
	struct cetane_stream *stream = NULL;
	struct cetane_event *event = NULL;
	struct cetane_function *fn;
	int s = cetane_device_open("cuda", &dev);

	(void) p;
	if (!s)
		s = cetane_module_load(dev, "ptx", 3, &mod);
	if (!s)
		s = cetane_module_function(mod, "first", &fn);
	if (!s)
		s = cetane_stream_create(dev, &stream);
	if (!s)
		s = cetane_event_create(dev, &event);
	refused = 0;
	cetane_event_destroy(event);
	cetane_stream_destroy(stream);
	OK(cetane_module_unload(mod));
	cetane_device_close(dev);
	return s;
}

static int on_the_host(struct cetane_program *p)
{
	struct cetane_device *dev = NULL;
	int s = cetane_device_open("host", &dev);

	if (!s)
		s = cetane_device_use(dev);
	if (!s)
		s = cetane_program_load(p);
	refused = 0;
	cetane_device_close(dev);
	return s;
}

/* Run "scene" until no request is left to be refused; how many there were. */
static int sweep(int (*scene)(struct cetane_program *p))
{
	int s = CETANE_OUT_OF_MEMORY, k;
	struct cetane_program p;

	for (k = 1; s != CETANE_OK; k++) {
		pair_make(&p, images, 3);
		refused = k;
		s = scene(&p);
		if (s != CETANE_OK) {
			assert_int_equal(s, CETANE_OUT_OF_MEMORY);
			HAS(cetane_last_error(), "memory");
			OK(scene(&p));
		}
		assert_null(p.instance);
		assert_int_equal(pair_fake->modules, 0);
		assert_int_equal(pair_fake->streams, 0);
		assert_int_equal(pair_fake->events, 0);
		assert_int_equal(pair_fake->contexts, 0);
		assert_int_equal(pair_fake->pushed, 0);
		assert_int_equal(pair_fake->orphans, 0);
		assert_int_equal(pair_fake->misused, 0);
		pair_drop(&p);
		assert_true(k < 1000);
	}
	return k - 2;
}

static void test_each_request(void **state)
{
	(void) state;
	assert_true(sweep(in_a_context) > 40);
	assert_int_equal(sweep(on_a_device), 6);
	assert_true(sweep(on_the_host) > 20);
	print_message("%d places\n", n_place);
	assert_true(n_place >= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_request)
	};

	if (!pair_open(FAKE_CUDA))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Check that no failure of the system takes the host device down: each
 * allocation, mapping and thread that it asks for is refused in turn, and
 * either it does without or the call says so. Sanitizers find what leaks.
 *
 * The linker routes the library's calls here (--wrap).
 */
#include <pthread.h>
#include <sys/mman.h>
#include "rt_test.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__real_mmap(void *p, size_t size, int prot, int flags, int fd, off_t at);
int __real_mprotect(void *p, size_t size, int prot);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	void *(*start)(void *), void *arg);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_mmap(void *p, size_t size, int prot, int flags, int fd, off_t at);
int __wrap_mprotect(void *p, size_t size, int prot);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	void *(*start)(void *), void *arg);

/* The request that is refused, counted from 1; 0: none. Requests come from
 * several threads.
 */
static int refused, seen;

static int refuse(void)
{
	int n = __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);

	return n == __atomic_load_n(&refused, __ATOMIC_SEQ_CST);
}

void *__wrap_malloc(size_t size)
{
	return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return refuse() ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return refuse() ? NULL : __real_aligned_alloc(align, size);
}

void *__wrap_mmap(void *p, size_t size, int prot, int flags, int fd, off_t at)
{
	return refuse() ? MAP_FAILED :
		__real_mmap(p, size, prot, flags, fd, at);
}

int __wrap_mprotect(void *p, size_t size, int prot)
{
	return refuse() ? -1 : __real_mprotect(p, size, prot);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	void *(*start)(void *), void *arg)
{
	return refuse() ? 11 : __real_pthread_create(thread, attr, start, arg);
}

/* Reverse each block's 64 numbers in place, through shared memory. */
static void reverse(struct cetane_host_thread *t, void **args)
{
	int32_t *p = *(int32_t **) args[0] + 64 * t->ctaid[0], *s = t->shared;
	uint32_t i = t->tid[0], bytes = sizeof(*p);

	if (cetane_host_check(t, p, p + i, bytes, 0, 0) &&
		cetane_host_check(t, s, s + i, bytes, CETANE_HOST_WRITE |
			CETANE_HOST_SHARED, 0))
		s[i] = p[i];
	cetane_host_barrier(t, 0);
	if (cetane_host_check(t, s, s + 63 - i, bytes, CETANE_HOST_SHARED, 0) &&
		cetane_host_check(t, p, p + i, bytes, CETANE_HOST_WRITE, 0))
		p[i] = s[63 - i];
}

enum { BLOCKS = 70, COUNT = 64 * BLOCKS };

/* What one run needs; what was not acquired is NULL or 0. */
struct work {
	struct cetane_device *dev;
	struct cetane_module *mod;
	struct cetane_function *fn;
	struct cetane_stream *stream;
	struct cetane_event *event;
	cetane_ptr p;
	int32_t in[COUNT], out[COUNT];
};

static enum cetane_status acquire(struct work *w, unsigned checks)
{
	const char *name = "reverse";
	cetane_host_kernel kernel = reverse;
	size_t size = 8;
	enum cetane_status s;

	s = cetane_device_open("host", &w->dev);
	if (!s)
		s = cetane_host_configure(w->dev, checks, 3);
	if (!s)
		s = cetane_module_from_host(w->dev, &name, &kernel, 1, NULL, 0,
			&w->mod);
	if (!s)
		s = cetane_module_function(w->mod, name, &w->fn);
	if (!s)
		s = cetane_function_set_args(w->fn, &size, 1);
	if (!s)
		s = cetane_stream_create(w->dev, &w->stream);
	if (!s)
		s = cetane_event_create(w->dev, &w->event);
	if (!s)
		s = cetane_malloc(w->dev, sizeof(w->in), &w->p);
	return s;
}

static enum cetane_status use(struct work *w)
{
	const unsigned grid[3] = { BLOCKS, 1, 1 }, block[3] = { 64, 1, 1 };
	void *args[1] = { &w->p };
	enum cetane_status s;

	s = cetane_copy_to_device(w->dev, w->p, w->in, sizeof(w->in),
		w->stream);
	if (!s)
		s = cetane_launch(w->fn, grid, block, 256, w->stream, args);
	if (!s)
		s = cetane_event_record(w->event, w->stream);
	if (!s)
		s = cetane_copy_from_device(w->dev, w->out, w->p,
			sizeof(w->out), w->stream);
	if (!s)
		s = cetane_event_synchronize(w->event);
	if (!s)
		s = cetane_stream_synchronize(w->dev, w->stream);
	return s;
}

static void give_back(struct work *w)
{
	cetane_event_destroy(w->event);
	cetane_stream_destroy(w->stream);
	cetane_module_unload(w->mod);
	cetane_device_close(w->dev);
}

/* A run with the k-th request refused; whether there was a k-th. */
static int run(unsigned checks, int k)
{
	struct work *w = __real_calloc(1, sizeof(*w));
	enum cetane_status s;
	int i, reached;

	for (i = 0; i < COUNT; i++)
		w->in[i] = i;
	__atomic_store_n(&seen, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&refused, k, __ATOMIC_SEQ_CST);
	s = acquire(w, checks);
	if (s == CETANE_OK)
		s = use(w);
	reached = __atomic_load_n(&seen, __ATOMIC_SEQ_CST) >= k;
	__atomic_store_n(&refused, 0, __ATOMIC_SEQ_CST);
	if (s != CETANE_OK) {
		assert_int_equal(s, CETANE_OUT_OF_MEMORY);
		assert_string_not_equal(cetane_last_error(), "");
		for (i = 0; i < COUNT; i++)
			assert_int_equal(w->out[i], 0);
		if (w->p)
			OK(use(w));
	}
	for (i = 0; w->p && i < COUNT; i++)
		assert_int_equal(w->out[i], i / 64 * 64 + 63 - i % 64);
	if (w->dev)
		assert_int_equal(cetane_host_findings(w->dev), 0);
	give_back(w);
	free(w);
	return reached;
}

static void test_unchecked(void **state)
{
	int k = 1;

	(void) state;
	while (run(0, k))
		k++;
	assert_in_range(k, 60, 5000);
}

static void test_checked(void **state)
{
	int k = 1;

	(void) state;
	while (run(CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE,
		k))
		k++;
	assert_in_range(k, 60, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unchecked),
		cmocka_unit_test(test_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

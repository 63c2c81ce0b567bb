/* Check what load, launch and unload do with a program in a container, on the host
 * device and on a fake GPU.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include "fake_cuda.h"
#include "container.h"

static struct fake_cuda *fake;

/* ------------------------------------------------------- the host device */

static const int64_t size[] = { 40, 70 };

/* Memory on "dev" for "size". */
static void allocate(struct cetane_device *dev, void **array, void **work)
{
	cetane_ptr at[3];

	for (int i = 0; i < 2; i++)
		OK(cetane_malloc(dev, 40 * 70 * 4, &at[i]));
	OK(cetane_malloc(dev, 1024, &at[2]));
	array[0] = (void *) at[0];
	array[1] = (void *) at[1];
	*work = (void *) at[2];
}

static void test_host(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;

	(void) state;
	memset(seen, 0, sizeof(seen));
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	assert_int_equal(cetane_program_workspace(&p, size), 768 + 256);
	OK(cetane_program_unload(&p));
	OK(cetane_program_load(&p));
	OK(cetane_program_load(&p));
	assert_non_null(p.instance);
	OK(cetane_program_launch(&p, NULL, size, array, work, 1));
	assert_int_equal(seen[0].calls, 0);
	OK(cetane_device_synchronize(dev));
	assert_int_equal(seen[0].calls, 2 * 5 * 32);
	assert_memory_equal(seen[0].grid, ((unsigned[]) { 5, 2, 1 }), 12);
	assert_memory_equal(seen[0].block, ((unsigned[]) { 8, 4, 1 }), 12);
	assert_int_equal(seen[0].arg[0], (uintptr_t) array[0]);
	assert_int_equal(seen[0].arg[1], (uintptr_t) work);
	assert_int_equal(seen[0].arg[2], 40);
	assert_int_equal(seen[1].calls, 40 * 70);
	assert_int_equal(seen[1].arg[0], (uintptr_t) work + 48);
	assert_int_equal(seen[1].arg[1], (uintptr_t) array[1]);
	assert_int_equal(seen[1].arg[2], 70);
	memset(seen, 0, sizeof(seen));
	OK(cetane_program_launch_record((void *[]) { &p, NULL,
		(void *) (uintptr_t) size, work, array[0], array[1] }));
	OK(cetane_device_synchronize(dev));
	assert_int_equal(seen[0].calls, 2 * 5 * 32);
	assert_int_equal(seen[0].arg[0], (uintptr_t) array[0]);
	assert_int_equal(seen[0].arg[1], (uintptr_t) work);
	assert_int_equal(seen[1].arg[1], (uintptr_t) array[1]);
	OK(cetane_program_unload(&p));
	assert_null(p.instance);
	OK(cetane_program_unload(&p));
	OK(cetane_program_launch(&p, NULL, size, array, work, 0));
	assert_non_null(p.instance);
	cetane_device_close(dev);
	assert_null(p.instance);
	drop(&p);
}

/* The grid has 2 blocks along y, the first axis of a record, and 5 along x. It must
 * have whole clusters.
 */
static void test_launch_clusters(void **state)
{
	static const int pair[][2] = { { 2, 1 }, { 1, 5 }, { 1, 2 }, { 5, 1 } };
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;
	int i;

	(void) state;
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	for (i = 0; i < 4; i++) {
		memset(seen, 0, sizeof(seen));
		make_clusters(&p, pair[i][0], pair[i][1]);
		assert_int_equal(cetane_program_launch(&p, NULL, size, array,
			work, 1), i < 2 ? CETANE_OK : CETANE_INVALID_VALUE);
		OK(cetane_device_synchronize(dev));
		assert_int_equal(seen[0].calls, i < 2 ? 2 * 5 * 32 : 0);
		OK(cetane_program_unload(&p));
		drop(&p);
	}
	HAS(cetane_last_error(), "a grid of whole clusters");
	cetane_device_close(dev);
}

static void test_tall_grid(void **state)
{
	const int64_t tall[] = { 65536, 1 };
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &p;
	OK(cetane_program_launch(&p, NULL, tall, array, (void *) 0x70000, 0));
	assert_memory_equal(fake->grid, ((unsigned[]) { 1, 65535, 2 }), 12);
	assert_int_equal(fake->max_shared, 60000);
	OK(cetane_program_unload(&p));
	fake->current = NULL;
	drop(&p);
}

/* Of the two kernels of the record the first one may begin early. */
static void test_early(void **state)
{
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };
	int launches = fake->launches, early = fake->early;

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &p;
	OK(cetane_program_launch(&p, NULL, size, array, (void *) 0x70000, 0));
	assert_int_equal(fake->launches, launches + 2);
	assert_int_equal(fake->early, early + 1);
	OK(cetane_program_unload(&p));
	fake->current = NULL;
	drop(&p);
}

/* Sizes of 0 launch nothing; wrong ones are named. */
static void test_sizes(void **state)
{
	static const struct {
		int64_t size[2];
		const char *says;
	} row[] = {
		{ { -1, 3 }, "the size n is -1" },
		{ { 3, INT64_C(1) << 31 }, "the size m is 2147483648" },
		{ { 3, INT64_MIN }, "the size m is -92" },
		{ { INT32_MAX, INT32_MAX }, "A is too large for any memory" }
	};
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;
	size_t i;

	(void) state;
	memset(seen, 0, sizeof(seen));
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(cetane_program_launch(&p, NULL, row[i].size,
			array, work, 1), CETANE_INVALID_VALUE);
		HAS(cetane_last_error(), row[i].says);
	}
	assert_int_equal(cetane_program_workspace(&p, row[0].size), -1);
	HAS(cetane_last_error(), row[0].says);
	OK(cetane_program_launch(&p, NULL, (int64_t[]) { 0, 9 },
		(void *[]) { NULL, NULL }, work, 1));
	OK(cetane_device_synchronize(dev));
	assert_int_equal(seen[0].calls + seen[1].calls, 0);
	cetane_device_close(dev);
	drop(&p);
}

static void test_fixed_size(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	void *array[2] = { (void *) 0x1000, (void *) 0x200000 };
	struct cetane_program p;

	(void) state;
	sizes[1].fixed = true;
	sizes[1].value = 70;
	make(&p, images, N_IMAGE);
	sizes[1].fixed = false;
	OK(cetane_device_use(dev));
	OK(cetane_program_launch(&p, NULL, size, array, (void *) 256, 0));
	assert_int_equal(cetane_program_launch(&p, NULL,
		(int64_t[]) { 40, 71 }, array, (void *) 256, 0),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "the size m is 71, but was compiled as 70");
	cetane_device_close(dev);
	drop(&p);
}

/* Pointers are looked at before a launch: test_pointers.c has all cases. */
static void test_checked(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	OK(cetane_program_launch(&p, NULL, size, array, work, 1));
	assert_int_equal(cetane_program_launch(&p, NULL, size, array, NULL, 0),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "the workspace is NULL, it needs 1024 bytes");
	array[1] = array[0];
	assert_int_equal(cetane_program_launch(&p, NULL, size, array, work, 1),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "A and B overlap");
	array[1] = (char *) array[0] + 4;
	array[0] = (void *) 0x1000;
	assert_int_equal(cetane_program_launch(&p, NULL, size, array, work, 1),
		CETANE_INVALID_ADDRESS);
	cetane_device_close(dev);
	drop(&p);
}

static void test_wrong_kernels(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;

	(void) state;
	make(&p, images, N_IMAGE);
	p.n_kernel = 1;
	OK(cetane_device_use(dev));
	assert_int_equal(cetane_program_load(&p), CETANE_BAD_CONTAINER);
	HAS(cetane_last_error(), "1 kernels for the host device, its record 2");
	cetane_device_close(dev);
	drop(&p);
}

/* ------------------------------------------------------------- a fake GPU */

static void test_no_context(void **state)
{
	struct cetane_program p;

	(void) state;
	make(&p, images, N_IMAGE);
	assert_int_equal(cetane_program_load(&p), CETANE_NO_CONTEXT);
	HAS(cetane_last_error(), "no current CUDA context");
	drop(&p);
}

/* One instance a context, told apart by address and by number. */
static void test_contexts(void **state)
{
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };
	int context[2], stream;

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &context[0];
	fake->context_id = 5;
	OK(cetane_program_load(&p));
	OK(cetane_program_launch(&p, &stream, size, array, (void *) 256, 0));
	assert_ptr_equal(fake->stream, &stream);
	assert_memory_equal(fake->grid, ((unsigned[]) { 70, 40, 1 }), 12);
	assert_int_equal(fake->shared, 60000);
	assert_int_equal(fake->arg0, 256 + 48);
	assert_int_equal(fake->modules, 1);
	fake->current = &context[1];
	fake->context_id = 6;
	OK(cetane_program_load(&p));
	assert_int_equal(fake->modules, 2);
	fake->context_id = 7;
	OK(cetane_program_load(&p));
	assert_int_equal(fake->modules, 3);
	OK(cetane_program_unload(&p));
	fake->context_id = 6;
	OK(cetane_program_unload(&p));
	assert_int_equal(fake->modules, 1);
	fake->current = &context[0];
	fake->context_id = 5;
	OK(cetane_program_unload(&p));
	assert_int_equal(fake->modules, 0);
	assert_int_equal(fake->contexts, 0);
	assert_int_equal(fake->pushed, 0);
	fake->current = NULL;
	drop(&p);
}

/* The program that unload_in_use unloads, and how many modules there are then. */
static struct cetane_program *in_use;
static int modules_in_use;

static void unload_in_use(const struct fake_launch *l)
{
	(void) l;
	OK(cetane_program_unload(in_use));
	modules_in_use = fake->modules;
}

/* What is unloaded while a launch uses it lives until that returns. */
static void test_unload_in_use(void **state)
{
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };
	int stream;

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &p;
	OK(cetane_program_load(&p));
	in_use = &p;
	fake->kernel = unload_in_use;
	OK(cetane_program_launch(&p, &stream, size, array, (void *) 256, 0));
	fake->kernel = NULL;
	assert_int_equal(modules_in_use, 1);
	assert_int_equal(fake->modules, 0);
	fake->current = NULL;
	drop(&p);
}

static void test_capture(void **state)
{
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };
	int stream;

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &p;
	fake->capturing = 1;
	assert_int_equal(cetane_program_launch(&p, &stream, size, array,
		(void *) 256, 0), CETANE_NOT_LOADED);
	assert_int_equal(fake->modules, 0);
	OK(cetane_program_load(&p));
	OK(cetane_program_launch(&p, &stream, size, array, (void *) 256, 0));
	fake->capturing = 0;
	OK(cetane_program_unload(&p));
	OK(cetane_program_launch(&p, &stream, size, array, (void *) 256, 0));
	OK(cetane_program_unload(&p));
	fake->current = NULL;
	drop(&p);
}

/* With a device in use, its own context and streams serve. */
static void test_cuda_device(void **state)
{
	struct cetane_program p;
	void *array[2], *work;
	struct cetane_stream *stream;
	struct cetane_device *dev;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_device_open("cuda", &dev));
	OK(cetane_stream_create(dev, &stream));
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	OK(cetane_program_launch(&p, stream, size, array, work, 1));
	assert_non_null(fake->stream);
	assert_int_equal(fake->modules, 1);
	cetane_stream_destroy(stream);
	cetane_device_close(dev);
	assert_int_equal(fake->modules, 0);
	assert_int_equal(fake->contexts, 0);
	assert_int_equal(cetane_program_load(&p), CETANE_NO_CONTEXT);
	drop(&p);
}

/* ----------------------------------------------------------------- memory */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t one);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t one);

/* The request for memory that is refused, counted down; 0: none. */
static int refused;

void *__wrap_malloc(size_t n)
{
	return refused && --refused == 0 ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t one)
{
	return refused && --refused == 0 ? NULL : __real_calloc(n, one);
}

/* Load, ask for the workspace and launch; the next attempt always works. */
static void test_no_memory(void **state)
{
	void *array[2], *work;
	struct cetane_device *dev = rt_open(0, 0);
	int s = CETANE_OUT_OF_MEMORY, k;
	struct cetane_program p;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	for (k = 1; s != CETANE_OK; k++) {
		refused = k;
		s = cetane_program_workspace(&p, size) < 0 ?
			CETANE_OUT_OF_MEMORY : cetane_program_launch(&p, NULL,
				size, array, work, 1);
		if (s != CETANE_OK) {
			assert_int_equal(s, CETANE_OUT_OF_MEMORY);
			HAS(cetane_last_error(), "out of memory");
		}
		refused = 0;
		OK(cetane_device_synchronize(dev));
		OK(cetane_program_unload(&p));
		assert_null(p.instance);
		assert_true(k < 1000);
	}
	assert_true(k > 50);
	OK(cetane_program_launch(&p, NULL, size, array, work, 1));
	cetane_device_close(dev);
	drop(&p);
}

/* ---------------------------------------------------------------- threads */

static void *load_and_launch(void *user)
{
	void *array[2] = { (void *) 0x1000, (void *) 0x200000 };
	struct cetane_program *p = user;
	struct cetane_device *dev;
	int i;

	if (cetane_device_open("host", &dev) ||
		cetane_device_use(dev))
		return user;
	for (i = 0; i < 50; i++)
		if (cetane_program_load(p) ||
			cetane_program_launch(p, NULL, (int64_t[]) { 2, 2 },
				array, (void *) 256, 0) ||
			cetane_device_synchronize(dev) ||
			(i % 3 == 0 && cetane_program_unload(p)))
			return user;
	cetane_device_close(dev);
	return NULL;
}

static void *launch_shared(void *user)
{
	void *array[2] = { (void *) 0x1000, (void *) 0x200000 };
	struct cetane_program *p = ((void **) user)[0];
	int i;

	cetane_device_use(((void **) user)[1]);
	for (i = 0; i < 50; i++)
		if (cetane_program_launch(p, NULL, (int64_t[]) { 0, 2 },
				array, (void *) 256, 0) ||
			cetane_program_unload(p))
			return user;
	return NULL;
}

static void join_all(void *(*fn)(void *), void *user)
{
	pthread_t thread[8];
	void *result;
	int i;

	for (i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, fn, user), 0);
	for (i = 0; i < 8; i++) {
		pthread_join(thread[i], &result);
		assert_null(result);
	}
}

static void test_threads(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *both[2] = { &p, dev };

	(void) state;
	make(&p, images, N_IMAGE);
	join_all(load_and_launch, &p);
	assert_null(p.instance);
	join_all(launch_shared, both);
	cetane_device_close(dev);
	drop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_launch_clusters),
		cmocka_unit_test(test_tall_grid),
		cmocka_unit_test(test_early),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_fixed_size),
		cmocka_unit_test(test_checked),
		cmocka_unit_test(test_wrong_kernels),
		cmocka_unit_test(test_no_context),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_unload_in_use),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_cuda_device),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_threads),
	};
	void *library = dlopen(FAKE_CUDA, RTLD_NOW);

	if (!library)
		return 1;
	fake = dlsym(library, "fake_cuda");
	setenv("CETANE_DRIVER", FAKE_CUDA, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

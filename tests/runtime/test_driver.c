/* Check the CUDA side against a fake driver: how it is found, what each call
 * passes on. What happens when calls fail is in test_sweep.c.
 */
#include <dlfcn.h>
#include <stdio.h>
#include "fake_cuda.h"
#include "rt_test.h"
#include "runtime/device/device.h"

/* The fake driver's own state; the runtime opens the same library. */
static struct fake_cuda *fake;

static const char ptx[] = ".version 7.0 // fake";

/* ------------------------------------------------------- finding a driver */

static void test_no_driver(void **state)
{
	struct cetane_device *dev = NULL;
	void *real = dlopen("libcuda.so.1", RTLD_LAZY);
	int n = 7;

	(void) state;
	if (!real)
		real = dlopen("libcuda.so", RTLD_LAZY);
	if (real)
		skip();
	unsetenv("CETANE_DRIVER");
	assert_int_equal(cetane_cuda_count(&n), CETANE_NO_DRIVER);
	assert_int_equal(n, 7);
	HAS(cetane_last_error(), "libcuda.so.1 (");
	HAS(cetane_last_error(), "libcuda.so (");
	assert_int_equal(cetane_device_open("cuda", &dev), CETANE_NO_DRIVER);
	assert_null(dev);
}

static void test_bad_path(void **state)
{
	int n = 7;

	(void) state;
	setenv("CETANE_DRIVER", "/nonexistent/libcuda.so", 1);
	assert_int_equal(cetane_cuda_count(&n), CETANE_NO_DRIVER);
	HAS(cetane_last_error(), "/nonexistent/libcuda.so");
	setenv("CETANE_DRIVER", "libfake.so", 1);
	assert_int_equal(cetane_cuda_count(&n), CETANE_NO_DRIVER);
	HAS(cetane_last_error(), "not an absolute path: libfake.so");
	assert_int_equal(n, 7);
}

static void test_old_driver(void **state)
{
	int n = 7;

	(void) state;
	setenv("CETANE_DRIVER", FAKE_CUDA_OLD, 1);
	assert_int_equal(cetane_cuda_count(&n), CETANE_DRIVER_TOO_OLD);
	HAS(cetane_last_error(), "no entry point cuLaunchKernel");
}

static void test_init_fails(void **state)
{
	static const struct {
		int result;
		enum cetane_status status;
	} row[] = {
		{ 100, CETANE_NO_DEVICE }, { 34, CETANE_NO_DRIVER },
		{ 803, CETANE_DRIVER_ERROR }, { 999, CETANE_DRIVER_ERROR }
	};
	size_t i;
	int n;

	(void) state;
	setenv("CETANE_DRIVER", FAKE_CUDA, 1);
	fake->fail_name = "cuInit";
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		fake->result = row[i].result;
		assert_int_equal(cetane_cuda_count(&n), row[i].status);
		HAS(cetane_last_error(), "cuInit: ");
	}
	fake->fail_name = NULL;
	OK(cetane_cuda_count(&n));
	assert_int_equal(n, 1);
}

static void test_facts(void **state)
{
	const char *library = NULL;
	size_t size = 7;
	int version = 7;

	(void) state;
	OK(cetane_cuda_driver(&version, &library));
	assert_int_equal(version, 12080);
	assert_string_equal(library, FAKE_CUDA);
	OK(cetane_cuda_memory(0, &size));
	assert_int_equal(size, (size_t) 8 << 30);
	assert_int_equal(cetane_cuda_memory(1, &size), CETANE_NO_DEVICE);
	assert_int_equal(cetane_cuda_memory(0, NULL), CETANE_INVALID_VALUE);
	assert_int_equal(cetane_cuda_driver(&version, NULL),
		CETANE_INVALID_VALUE);
	version = 7;
	fake->result = 999;
	fake->fail_name = "cuDriverGetVersion";
	assert_int_equal(cetane_cuda_driver(&version, &library),
		CETANE_DRIVER_ERROR);
	fake->fail_name = "cuDeviceTotalMem";
	assert_int_equal(cetane_cuda_memory(0, &size), CETANE_DRIVER_ERROR);
	fake->fail_name = NULL;
	assert_int_equal(version, 7);
	assert_int_equal(size, (size_t) 8 << 30);
}

/* ----------------------------------------------------------- a good run */

/* What the tests of calls share: a device, and what one can have of it. */
struct gpu {
	struct cetane_device *dev;
	struct cetane_module *mod;
	struct cetane_function *fn;
	struct cetane_stream *stream;
	struct cetane_event *event[2];
	cetane_ptr p;
};

static void give_back(struct gpu *g)
{
	if (g->p)
		cetane_free(g->dev, g->p);
	cetane_event_destroy(g->event[0]);
	cetane_event_destroy(g->event[1]);
	cetane_stream_destroy(g->stream);
	cetane_module_unload(g->mod);
	cetane_device_close(g->dev);
}

static enum cetane_status acquire(struct gpu *g)
{
	enum cetane_status s;

	memset(g, 0, sizeof(*g));
	s = cetane_device_open("cuda:0", &g->dev);
	if (!s)
		s = cetane_module_load(g->dev, ptx, sizeof(ptx), &g->mod);
	if (!s)
		s = cetane_module_function(g->mod, "k", &g->fn);
	if (!s)
		s = cetane_stream_create(g->dev, &g->stream);
	if (!s)
		s = cetane_event_create(g->dev, &g->event[0]);
	if (!s)
		s = cetane_event_create(g->dev, &g->event[1]);
	if (!s)
		s = cetane_malloc(g->dev, 64, &g->p);
	return s;
}

/* One call of each kind that works on what was acquired. */
static enum cetane_status use(struct gpu *g, char *out)
{
	const unsigned grid[3] = { 5, 6, 7 }, block[3] = { 8, 9, 10 };
	int32_t n = -3;
	void *args[2] = { &g->p, &n };
	float ms = 0;
	enum cetane_status s;

	s = cetane_event_record(g->event[0], g->stream);
	if (!s)
		s = cetane_memset(g->dev, g->p, 'x', 64, g->stream);
	if (!s)
		s = cetane_copy_to_device(g->dev, g->p, "ab", 2, g->stream);
	if (!s)
		s = cetane_launch(g->fn, grid, block, 50000, g->stream, args);
	if (!s)
		s = cetane_copy_from_device(g->dev, out, g->p, 4, g->stream);
	if (!s)
		s = cetane_event_record(g->event[1], g->stream);
	if (!s)
		s = cetane_stream_synchronize(g->dev, g->stream);
	if (!s)
		s = cetane_event_synchronize(g->event[1]);
	if (!s)
		s = cetane_event_elapsed(g->event[0], g->event[1], &ms);
	if (!s)
		s = cetane_device_synchronize(g->dev);
	return s || ms == 1.5f ? s : CETANE_DRIVER_ERROR;
}

static void assert_nothing_left(void)
{
	assert_int_equal(fake->contexts, 0);
	assert_int_equal(fake->pushed, 0);
	assert_int_equal(fake->modules, 0);
	assert_int_equal(fake->allocations, 0);
	assert_int_equal(fake->streams, 0);
	assert_int_equal(fake->events, 0);
	assert_int_equal(fake->no_context, 0);
	assert_int_equal(fake->misused, 0);
	assert_int_equal(fake->orphans, 0);
}

static void test_good_run(void **state)
{
	char out[5] = "";
	struct gpu g;

	(void) state;
	OK(acquire(&g));
	assert_string_equal(cetane_device_name(g.dev), "Fake GPU 0");
	assert_int_equal(cetane_device_capability(g.dev), 121);
	assert_string_equal(fake->image, ptx);
	assert_int_equal(fake->stream_flags, 1);
	OK(cetane_function_set_args(g.fn, (size_t[]) { 8, 4 }, 2));
	OK(use(&g, out));
	assert_string_equal(out, "abxx");
	assert_int_equal(fake->pushed, 0);
	assert_non_null(fake->stream);
	OK(cetane_stream_synchronize(g.dev, NULL));
	assert_null(fake->stream);
	give_back(&g);
	assert_nothing_left();
}

static void test_launch_passes_on(void **state)
{
	const unsigned grid[3] = { 5, 6, 7 }, block[3] = { 8, 9, 10 };
	const unsigned none[3] = { 5, 0, 7 };
	int32_t n = -3;
	struct gpu g;
	void *args[2] = { &g.p, &n };
	int calls;

	(void) state;
	OK(acquire(&g));
	fake->max_shared = 0;
	OK(cetane_launch(g.fn, grid, block, 49152, NULL, args));
	assert_memory_equal(fake->grid, grid, sizeof(grid));
	assert_memory_equal(fake->block, block, sizeof(block));
	assert_int_equal(fake->shared, 49152);
	assert_int_equal(fake->arg0, g.p);
	assert_int_equal(fake->arg1, -3);
	assert_null(fake->stream);
	assert_int_equal(fake->max_shared, 0);
	OK(cetane_launch(g.fn, grid, block, 49153, g.stream, args));
	assert_int_equal(fake->max_shared, 49153);
	assert_non_null(fake->stream);
	fake->max_shared = 0;
	OK(cetane_launch(g.fn, grid, block, 49153, g.stream, args));
	assert_int_equal(fake->max_shared, 0);
	calls = fake->calls;
	OK(cetane_launch(g.fn, none, block, 0, g.stream, args));
	assert_int_equal(fake->calls, calls);
	fake->fail_name = "cuFuncSetAttribute";
	fake->result = 1;
	assert_int_equal(cetane_launch(g.fn, grid, block, 300000, NULL, args),
		CETANE_OUT_OF_RESOURCES);
	fake->fail_name = NULL;
	give_back(&g);
	assert_nothing_left();
}

/* Blocks that wait for one another: their counter is 0 when they begin, and a
 * device or driver that cannot run them says so.
 */
static void test_together(void **state)
{
	const unsigned grid[3] = { 5, 1, 1 }, block[3] = { 8, 9, 10 };
	uint32_t count[2] = { 7, 7 };
	int32_t n = -3;
	struct gpu g;
	void *args[2] = { &g.p, &n };
	cetane_ptr at = (cetane_ptr) (uintptr_t) count;

	(void) state;
	OK(acquire(&g));
	fake->fail_name = "cuLaunchKernel";
	fake->result = 1;
	OK(cetane_rt_launch_together(g.fn, grid, block, 64, g.stream, args,
		at));
	assert_memory_equal(fake->grid, grid, sizeof(grid));
	assert_memory_equal(fake->block, block, sizeof(block));
	assert_int_equal(fake->shared, 64);
	assert_int_equal(fake->arg0, g.p);
	assert_non_null(fake->stream);
	assert_int_equal(count[0], 0);
	assert_int_equal(count[1], 7);
	fake->fail_name = "cuLaunchCooperativeKernel";
	fake->result = 720;
	assert_int_equal(cetane_rt_launch_together(g.fn, grid, block, 64, NULL,
		args, at), CETANE_OUT_OF_RESOURCES);
	HAS(cetane_last_error(), "no room for the 5 blocks");
	fake->result = 1;
	assert_int_equal(cetane_rt_launch_together(g.fn, grid, block, 64, NULL,
		args, at), CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "cuLaunchCooperativeKernel: ");
	fake->fail_name = NULL;
	give_back(&g);
	assert_nothing_left();
}

static void test_modules(void **state)
{
	struct cetane_function *fn = NULL, *again;
	struct cetane_module *mod = NULL;
	struct gpu g;

	(void) state;
	OK(acquire(&g));
	assert_int_equal(cetane_module_function(g.mod, "missing", &fn),
		CETANE_NOT_FOUND);
	assert_null(fn);
	OK(cetane_module_function(g.mod, "k", &again));
	assert_ptr_equal(again, g.fn);
	OK(cetane_module_load(g.dev, "open text and more", 9, &mod));
	assert_string_equal(fake->image, "open text");
	cetane_module_unload(mod);
	OK(cetane_module_load(g.dev, "\177ELF and so on", 8, &mod));
	assert_string_equal(fake->image, "\177ELF and so on");
	cetane_module_unload(mod);
	mod = NULL;
	fake->fail_name = "cuModuleLoadDataEx";
	fake->result = 218;
	fake->log = "ptxas: line 3: what is this?";
	assert_int_equal(cetane_module_load(g.dev, ptx, sizeof(ptx), &mod),
		CETANE_INVALID_IMAGE);
	HAS(cetane_last_error(), "cuModuleLoadDataEx: FAKE_ERROR (218)");
	HAS(cetane_last_error(), "ptxas: line 3: what is this?");
	assert_null(mod);
	fake->fail_name = NULL;
	fake->log = NULL;
	assert_int_equal(cetane_module_from_host(g.dev, NULL, NULL, 0, NULL, 0,
		&mod), CETANE_UNSUPPORTED);
	assert_int_equal(cetane_host_configure(g.dev, 0, 0),
		CETANE_UNSUPPORTED);
	assert_int_equal(cetane_host_findings(g.dev), 0);
	assert_null(cetane_host_finding(g.dev, 0));
	cetane_host_clear(g.dev);
	give_back(&g);
	assert_nothing_left();
}

static void test_devices(void **state)
{
	struct cetane_device *dev = NULL;
	int n;

	(void) state;
	assert_int_equal(cetane_device_open("cuda:1", &dev), CETANE_NO_DEVICE);
	assert_null(dev);
	fake->device_count = 3;
	OK(cetane_cuda_count(&n));
	assert_int_equal(n, 3);
	OK(cetane_device_open("cuda:2", &dev));
	assert_string_equal(cetane_device_name(dev), "Fake GPU 2");
	cetane_device_close(dev);
	fake->device_count = 1;
	assert_nothing_left();
}

/* ------------------------------------------------------------- failures */

/* Without the device's context nothing is called. */
static void test_push_fails(void **state)
{
	char out[5] = "";
	struct gpu g;
	struct cetane_event *e = NULL;
	struct cetane_stream *st = NULL;
	cetane_ptr p = 5;
	int calls;

	(void) state;
	OK(acquire(&g));
	calls = fake->calls;
	fake->fail_name = "cuCtxPushCurrent";
	fake->result = 719;
	assert_int_equal(cetane_malloc(g.dev, 1, &p), CETANE_LAUNCH_FAILED);
	assert_int_equal(p, 5);
	assert_int_equal(cetane_event_create(g.dev, &e), CETANE_LAUNCH_FAILED);
	assert_int_equal(cetane_stream_create(g.dev, &st),
		CETANE_LAUNCH_FAILED);
	assert_null(e);
	assert_null(st);
	assert_int_equal(use(&g, out), CETANE_LAUNCH_FAILED);
	HAS(cetane_last_error(), "cuCtxPushCurrent");
	assert_int_equal(fake->calls, calls);
	fake->fail_name = NULL;
	give_back(&g);
	assert_nothing_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_driver),
		cmocka_unit_test(test_bad_path),
		cmocka_unit_test(test_old_driver),
		cmocka_unit_test(test_init_fails),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_good_run),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_launch_passes_on),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_push_fails),
	};
	void *lib = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);

	fake = lib ? dlsym(lib, "fake_cuda") : NULL;
	if (!fake) {
		fprintf(stderr, "no fake driver: %s\n", dlerror());
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

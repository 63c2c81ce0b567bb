/* Check devices, modules, memory and the arguments of all calls on the host
 * device: what is refused, with which status, and that nothing changes then.
 */
#include "rt_test.h"

static void nothing(struct cetane_host_thread *t, void **args)
{
	(void) t;
	(void) args;
}

static void test_status_texts(void **state)
{
	(void) state;
	assert_string_equal(cetane_status_text(CETANE_OK), "success");
	HAS(cetane_status_text(CETANE_DEADLOCK), "barrier");
	assert_non_null(cetane_status_text((enum cetane_status) 9999));
}

static void test_open(void **state)
{
	struct cetane_device *dev = NULL;
	const char *const bad[] = { "", "hosts", "cuda:", "cuda:x", "cuda:-1",
		"cuda:1x", "cuda:99999999999999999999", "gpu" };
	size_t i;

	(void) state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(cetane_device_open(bad[i], &dev),
			CETANE_INVALID_VALUE);
		HAS(cetane_last_error(), bad[i]);
		assert_null(dev);
	}
	assert_int_equal(cetane_device_open(NULL, &dev), CETANE_INVALID_VALUE);
	assert_int_equal(cetane_device_open("host", NULL),
		CETANE_INVALID_VALUE);
	OK(cetane_device_open("host", &dev));
	assert_string_equal(cetane_device_name(dev), "host");
	assert_int_equal(cetane_device_capability(dev), 0);
	OK(cetane_device_synchronize(dev));
	cetane_device_close(dev);
	cetane_device_close(NULL);
}

static void test_configure(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);

	(void) state;
	assert_int_equal(cetane_host_configure(dev, 8, 0),
		CETANE_INVALID_VALUE);
	assert_int_equal(cetane_host_configure(NULL, 0, 0),
		CETANE_INVALID_VALUE);
	assert_int_equal(cetane_host_findings(NULL), 0);
	assert_null(cetane_host_finding(dev, 0));
	cetane_device_close(dev);
}

static void test_modules(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	const char *name[2] = { "a", "b" };
	cetane_host_kernel kernel[2] = { nothing, nothing };
	struct cetane_function *a, *b, *c = NULL;
	struct cetane_module *mod = NULL;

	(void) state;
	assert_int_equal(cetane_module_load(dev, "x", 1, &mod),
		CETANE_UNSUPPORTED);
	assert_int_equal(cetane_module_load(dev, "x", 0, &mod),
		CETANE_INVALID_VALUE);
	assert_int_equal(cetane_module_from_host(dev, NULL, kernel, 2, NULL, 0,
		&mod), CETANE_INVALID_VALUE);
	assert_null(mod);
	OK(cetane_module_from_host(dev, name, kernel, 2, NULL, 0, &mod));
	OK(cetane_module_function(mod, "a", &a));
	OK(cetane_module_function(mod, "b", &b));
	assert_ptr_not_equal(a, b);
	assert_int_equal(cetane_module_function(mod, "c", &c),
		CETANE_NOT_FOUND);
	HAS(cetane_last_error(), "\"c\"");
	assert_null(c);
	cetane_module_unload(mod);
	cetane_module_unload(NULL);
	cetane_device_close(dev);
}

static void test_allocate(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	cetane_ptr p = 1, q[40];
	unsigned char byte[300];
	int i;

	(void) state;
	OK(cetane_malloc(dev, 0, &p));
	assert_int_equal(p, 0);
	OK(cetane_free(dev, 0));
	p = 7;
	assert_int_equal(cetane_malloc(dev, SIZE_MAX - 100, &p),
		CETANE_OUT_OF_MEMORY);
	assert_int_equal(p, 7);
	for (i = 0; i < 40; i++) {
		OK(cetane_malloc(dev, (size_t) i * 7 + 1, &q[i]));
		assert_int_equal(q[i] % 256, 0);
	}
	OK(cetane_copy_from_device(dev, byte, q[39], 274, NULL));
	OK(cetane_stream_synchronize(dev, NULL));
	assert_int_equal(byte[0], 0xCD);
	assert_int_equal(byte[273], 0xCD);
	assert_int_equal(cetane_free(dev, q[3] + 1), CETANE_INVALID_ADDRESS);
	for (i = 0; i < 20; i++)
		OK(cetane_free(dev, q[i * 2]));
	assert_int_equal(cetane_free(dev, q[2]), CETANE_INVALID_ADDRESS);
	cetane_device_close(dev);
}

static void test_ranges(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	char byte[64] = "";
	cetane_ptr p;

	(void) state;
	OK(cetane_malloc(dev, 32, &p));
	assert_int_equal(cetane_copy_to_device(dev, p, byte, 33, NULL),
		CETANE_INVALID_ADDRESS);
	assert_int_equal(cetane_copy_to_device(dev, p - 1, byte, 1, NULL),
		CETANE_INVALID_ADDRESS);
	assert_int_equal(cetane_copy_from_device(dev, byte, p + 32, 1, NULL),
		CETANE_INVALID_ADDRESS);
	assert_int_equal(cetane_memset(dev, p + 8, 0, SIZE_MAX, NULL),
		CETANE_INVALID_ADDRESS);
	assert_int_equal(cetane_memset(dev, 0, 0, 1, NULL),
		CETANE_INVALID_VALUE);
	assert_int_equal(cetane_copy_to_device(dev, p, NULL, 1, NULL),
		CETANE_INVALID_VALUE);
	OK(cetane_copy_to_device(dev, 0, NULL, 0, NULL));
	OK(cetane_copy_from_device(dev, NULL, 0, 0, NULL));
	OK(cetane_memset(dev, p + 31, 1, 1, NULL));
	cetane_device_close(dev);
}

static void test_copies(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	unsigned char in[16], out[16];
	cetane_ptr p;
	int i;

	(void) state;
	for (i = 0; i < 16; i++)
		in[i] = (unsigned char) i;
	OK(cetane_malloc(dev, 16, &p));
	OK(cetane_copy_to_device(dev, p, in, 16, NULL));
	OK(cetane_memset(dev, p + 4, 99, 2, NULL));
	OK(cetane_copy_from_device(dev, out, p, 16, NULL));
	OK(cetane_device_synchronize(dev));
	for (i = 0; i < 16; i++)
		assert_int_equal(out[i], i == 4 || i == 5 ? 99 : i);
	OK(cetane_free(dev, p));
	cetane_device_close(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_texts),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_configure),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_allocate),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

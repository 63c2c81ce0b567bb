/* What the tests of the runtime share: a host device with one module. */
#ifndef RT_TEST_H
#define RT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/cetane_rt.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RT_SANITIZED 1
#else
#define RT_SANITIZED 0
#endif

#define OK(call) assert_int_equal(call, CETANE_OK)

/* A kernel of the tests and the number of its arguments, of 8 bytes each. */
struct rt_kernel {
	const char *name;
	cetane_host_kernel kernel;
	int n_arg;
};

/* Open the host device with "checks" and "seed". */
static inline struct cetane_device *rt_open(unsigned checks, uint64_t seed)
{
	struct cetane_device *dev;

	OK(cetane_device_open("host", &dev));
	OK(cetane_host_configure(dev, checks, seed));
	return dev;
}

/* A module of one kernel; "site" may be NULL. */
static inline struct cetane_function *rt_function(struct cetane_device *dev,
	const struct rt_kernel *k, const char *const *site, int n_site)
{
	size_t size[8] = { 8, 8, 8, 8, 8, 8, 8, 8 };
	struct cetane_module *mod;
	struct cetane_function *fn;

	OK(cetane_module_from_host(dev, &k->name, &k->kernel, 1, site, n_site,
		&mod));
	OK(cetane_module_function(mod, k->name, &fn));
	OK(cetane_function_set_args(fn, size, k->n_arg));
	return fn;
}

/* The first finding, or "" if there is none. */
static inline const char *rt_finding(struct cetane_device *dev)
{
	const char *text = cetane_host_finding(dev, 0);

	return text ? text : "";
}

/* Fail unless "text" contains "part". */
#define HAS(text, part) \
	do { \
		const char *has_text = (text); \
		if (!strstr(has_text, part)) \
			fail_msg("\"%s\" lacks \"%s\"", has_text, part); \
	} while (0)

#endif

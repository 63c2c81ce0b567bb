/* Of a group of tests only the one in $CETANE_TEST_PART runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void __attribute__((constructor)) choose(void)
{
	const char *part = getenv("CETANE_TEST_PART");

	if (part && *part)
		cmocka_set_test_filter(part);
}

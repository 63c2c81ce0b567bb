/* Builds by the library, for its tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "builds.h"

struct cetane_build *new_build(const char *text)
{
	struct cetane_build *b = cetane_build_new("fig2.dsl", text,
		strlen(text));

	assert_non_null(b);
	return b;
}

void set(struct cetane_build *b, const char *option, const char *value)
{
	assert_int_equal(cetane_build_set(b, option, value), CETANE_BUILD_OK);
}

/* The first message of severity error. */
const struct cetane_message *first_error(const struct cetane_build *b)
{
	const struct cetane_message *m;
	int i;

	for (i = 0; (m = cetane_build_message(b, i)); i++)
		if (m->severity == CETANE_ERROR)
			return m;
	return NULL;
}

/* Run "b"; it fails with "status" and the error "number", and has no output
 * but perhaps a reproducer.
 */
void fails(struct cetane_build *b, enum cetane_build_status status,
	int number, const char *part)
{
	const struct cetane_message *m;
	enum cetane_build_status got = cetane_build_run(b);

	m = first_error(b);
	assert_non_null(m);
	if (got != status || m->number != number || !strstr(m->text, part) ||
	    !strstr(m->rendered, m->text))
		fail_msg("status %d, %d: %s", got, m->number, m->rendered);
	assert_int_equal(cetane_build_outputs(b),
		cetane_build_find(b, "reproducer") != NULL);
}

/* ----------------------------------------------------------------- workers */

/* Without a helper, a fork of this process; the tests' own is $CETANE. */
void use_helper(bool use)
{
	if (use)
		setenv("CETANE_WORKER", getenv("CETANE"), 1);
	else
		unsetenv("CETANE_WORKER");
}

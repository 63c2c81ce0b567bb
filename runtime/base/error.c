/* Status texts and the last error of each thread.
 *
 * A status says what kind of failure it was; the last error says the rest,
 * such as the driver's own message. It is kept per thread in a fixed buffer,
 * so that reporting a failure never allocates and never fails itself.
 */
#include <stdarg.h>
#include <stdio.h>
#include "runtime/base/base.h"

static _Thread_local char last_error[1024];

const char *cetane_last_error(void)
{
	return last_error;
}

const char *cetane_status_text(enum cetane_status s)
{
	switch (s) {
#define STATUS(value, id, text) \
	case CETANE_##id: \
		return text;
#include "runtime/status.def"
#undef STATUS
	}
	return "unknown status";
}

enum cetane_status cetane_rt_fail(enum cetane_status s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(last_error, sizeof(last_error), fmt, ap);
	va_end(ap);
	return s;
}

enum cetane_status cetane_rt_no_memory(void)
{
	return cetane_rt_fail(CETANE_OUT_OF_MEMORY, "out of memory");
}

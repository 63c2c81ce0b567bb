/* Whether memory has been refused: the one record by which "not enough memory"
 * is told from every other failure that gives no reason.
 *
 * An allocation that fails leaves ENOMEM in errno, whichever library asked for
 * it. Later calls may leave something else there, so the record is asked at each
 * stage and for each message; who sees a failed allocation long before anybody
 * asks notes it. Each thread has its own.
 */
#include <errno.h>

#include "polyir/base/base.h"

static _Thread_local bool refused;

void poly_memory_begin(void)
{
	refused = false;
	errno = 0;
}

void poly_memory_note(void)
{
	refused = true;
}

bool poly_memory_refused(void)
{
	refused |= errno == ENOMEM;
	return refused;
}

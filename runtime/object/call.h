/* What program.c gives to call.c, which runs programs on arrays of the host, and what
 * both ask of pointers.
 */
#ifndef CETANE_CALL_H
#define CETANE_CALL_H

#include "runtime/image/image.h"
#include "runtime/program.h"

struct cetane_program;
struct cetane_instance;

/* A program that is loaded, and cannot be unloaded meanwhile. All but "fn",
 * the functions of the record's kernels, belongs to the instance, too.
 */
struct cetane_rt_entered {
	struct cetane_instance *instance;
	struct cetane_device *dev;
	const struct cetane_rt_record *record;
	struct cetane_function *const *fn;
};
/* Whether the calling thread has a device in use or a current context. */
CETANE_INTERNAL enum cetane_status cetane_rt_program_placed(bool *yes);
/* Load "p" on "other", or if that is NULL, where the calling thread's programs
 * run.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_program_enter(
	struct cetane_program *p, struct cetane_device *other,
	struct cetane_rt_entered *e);
CETANE_INTERNAL void cetane_rt_program_exit(struct cetane_rt_entered *e);

/* pointers.c */

/* "array" and "workspace" of "total" bytes are aligned, not NULL if they need
 * any bytes, and none that is written overlaps another. They lie in memory that
 * was allocated on "dev"; in memory of the host, of which nothing is known, if
 * that is NULL. "layout" is NULL if all arrays lie there as they are.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_check_pointers(
	const struct cetane_rt_record *r, struct cetane_device *dev,
	const int64_t *size, void *const *array, void *workspace,
	int64_t total, const struct cetane_program_layout *layout);

#endif

/* What the files of `cetane doctor` share: doctor.c looks at the machine, and
 * doctor_output.c tries what builds would call.
 */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include "tools/tools.h"

/* Print a row; an empty "name" goes on with the row above. */
void tool_doctor_row(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Print which kinds of output can be made, and why others cannot. Returns that as
 * a sentence without its end, which the caller frees; NULL without memory.
 */
char *tool_doctor_outputs(void);

#endif

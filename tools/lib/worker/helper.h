/* Which program is the worker of a process that uses the library. */
#ifndef TOOLS_LIB_HELPER_H
#define TOOLS_LIB_HELPER_H

#include <stdbool.h>

/* Find the command: "*path", owned by the caller, or NULL if there is none and
 * this process may fork. False, having said so, if neither will do.
 */
bool tool_helper_find(char **path);

#endif

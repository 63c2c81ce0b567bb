/* The files of runtime/ as the command holds them: runtime.cmake writes the
 * table when the command is built.
 */
#ifndef TOOLS_LIB_RUNTIME_H
#define TOOLS_LIB_RUNTIME_H

/* In the order of their names; the last row has no name. */
struct tool_runtime_file {
	const char *name, *text;
};
extern const struct tool_runtime_file tool_runtime_file[];

#endif

/* JSON that others have written (json_read.c). */
#ifndef TOOLS_LIB_JSON_H
#define TOOLS_LIB_JSON_H

#include "tools/lib/base/base.h"

/* What stands for the character 0 in the text of a string, which ends with that: its two
 * bytes are in no UTF-8.
 */
#define TOOL_JSON_ZERO "\300\200"

enum tool_json_kind { TOOL_JSON_NULL, TOOL_JSON_BOOL, TOOL_JSON_NUMBER,
	TOOL_JSON_TEXT, TOOL_JSON_LIST, TOOL_JSON_OBJECT };
/* A value: the number of a number, 1 of true, the text of a string; the items of a list,
 * or of an object, whose names they have.
 */
struct tool_json {
	enum tool_json_kind kind;
	double number;
	char *text, *name;
	struct tool_json *item;
	int n;
};
/* Read the "len" bytes "text"; false if they are no JSON, or without memory. Then there
 * is nothing to free.
 */
bool tool_json_read(struct tool_json *j, const char *text, size_t len);
void tool_json_free(struct tool_json *j);
/* The member "name" of an object, or NULL; "j" may be NULL. Its text, or NULL; its
 * number, or "otherwise".
 */
const struct tool_json *tool_json_member(const struct tool_json *j,
	const char *name);
const char *tool_json_string(const struct tool_json *j, const char *name);
double tool_json_number(const struct tool_json *j, const char *name,
	double otherwise);

#endif

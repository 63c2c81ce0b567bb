/* cetane inspect ARTIFACT: what a build has made. */
#include <string.h>

#include "tools/inspect.h"

bool tool_is_artifact(const struct tool_source *src)
{
	return src->len >= 4 && !memcmp(src->text, "\177ELF", 4);
}

enum tool_exit tool_inspect_artifact(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *out)
{
	(void)o; (void)src; (void)out;
	return TOOL_INTERNAL;
}

/* The verb cache: what is in the folder $CETANE_CACHE_DIR. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/cache.h"
#include "tools/tools.h"

static enum tool_exit print_state(const char *folder)
{
	struct tool_cache_list list;
	bool ok = tool_cache_read_folder(&list);

	if (ok)
		printf("%s: %d entries, %lld of at most %lld bytes\n", folder,
			list.n, (long long)list.size,
			(long long)tool_cache_limit());
	else
		tool_message(MSG_FILE_READ, folder, "no folder of entries");
	tool_cache_free(&list);
	return ok ? TOOL_OK : TOOL_ENVIRONMENT;
}

enum tool_exit tool_cache(struct tool_options *o)
{
	const char *folder = getenv("CETANE_CACHE_DIR");
	int n = 0;

	if (!folder || !*folder) {
		tool_message(MSG_USAGE_CONFLICT, "there is no cache: "
			"CETANE_CACHE_DIR names its folder");
		return TOOL_ENVIRONMENT;
	}
	if (!strcmp(o->file, "stat"))
		return print_state(folder);
	if (!strcmp(o->file, "prune"))
		n = tool_cache_prune(tool_cache_limit());
	else if (!strcmp(o->file, "clear"))
		n = tool_cache_prune(0);
	else if (!strcmp(o->file, "verify"))
		n = tool_cache_verify();
	else
		return tool_bad_operand("cache takes stat, prune, clear or "
			"verify");
	printf("%d removed\n", n);
	return TOOL_OK;
}

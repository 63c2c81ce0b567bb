/* Where the command is that compiles for a process which uses the library: at
 * $CETANE_WORKER; beside the library, as in a build folder; or in the folder
 * "bin" one or two levels above, as where it is installed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/worker/helper.h"
#include "tools/lib/base/page.h"

static const char *const places[] = { "", "../bin/", "../../bin/" };

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		access(path, X_OK) == 0;
}

/* The command in that place from "folder", whose length is "len". */
static char *look(const char *folder, int len, const char *place)
{
	char *path;

	if (asprintf(&path, "%.*s%scetane", len, folder, place) < 0)
		return NULL;
	if (is_program(path))
		return path;
	free(path);
	return NULL;
}

/* Look around the file that holds this function. */
static char *find_beside(void)
{
	char *file, *slash, *found = NULL;
	Dl_info info;
	size_t i;

	if (!dladdr((void *)find_beside, &info) || !info.dli_fname)
		return NULL;
	file = realpath(info.dli_fname, NULL);
	slash = file ? strrchr(file, '/') : NULL;
	for (i = 0; slash && !found &&
			i < sizeof(places) / sizeof(places[0]); i++)
		found = look(file, (int)(slash + 1 - file), places[i]);
	free(file);
	return found;
}

bool tool_helper_find(char **path)
{
	const char *given = getenv("CETANE_WORKER");

	*path = given && *given ? strdup(given) : find_beside();
	if (*path || tool_process_status("Threads:") == 1)
		return true;
	tool_message(MSG_WORKER, "this process has threads and may not fork, "
		"and the command cetane was not found beside the library; "
		"CETANE_WORKER may say where it is");
	return false;
}

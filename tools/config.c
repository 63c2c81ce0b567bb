/* The verb config: what a program needs to compile and link with an installed Cetane, as
 * pkg-config tells it. The tree is found from the command, so that it may be moved.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tools.h"

/* The folder above that of the command, whose path "path" receives; NULL if that is not
 * known, or not in a folder of commands.
 */
static const char *find_prefix(char path[PATH_MAX])
{
	static const char folder[] = "/" CETANE_BINDIR;
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	size_t len;

	if (n < 0)
		return NULL;
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	len = strlen(path);
	if (len < strlen(folder) ||
	    strcmp(path + len - strlen(folder), folder))
		return NULL;
	path[len - strlen(folder)] = '\0';
	return path;
}

/* Is the tree at "prefix" one that was installed? It has headers. */
static bool is_installed(const char *prefix, struct poly_str *header)
{
	poly_str_printf(header, "%s/%s/cetane_rt.h", prefix, CETANE_INCLUDEDIR);
	return !header->failed && access(header->s, R_OK) == 0;
}

/* Print what was asked for, in a line each, but the flags in one. */
static void print(const struct tool_options *o, const char *prefix)
{
	const char *library = o->config_runtime ? "cetane_rt" : "cetane";

	if (o->version)
		printf("%s\n", CETANE_VERSION);
	if (o->config_prefix)
		printf("%s\n", prefix);
	if (o->config_cflags)
		printf("-I%s/%s%s", prefix, CETANE_INCLUDEDIR,
			o->config_libs ? " " : "\n");
	if (o->config_libs && o->config_static)
		printf("%s/%s/lib%s.a -pthread -ldl\n", prefix, CETANE_LIBDIR,
			library);
	else if (o->config_libs)
		printf("-L%s/%s -l%s\n", prefix, CETANE_LIBDIR, library);
}

enum tool_exit tool_config(const struct tool_options *o)
{
	char path[PATH_MAX];
	const char *prefix = find_prefix(path);
	struct poly_str header = { 0 };
	enum tool_exit status = TOOL_OK;

	if (!o->version && !o->config_prefix && !o->config_cflags &&
	    !o->config_libs)
		return tool_bad_operand("ask for --cflags, --libs, --prefix or "
			"--version");
	if (o->config_static && !(o->config_runtime && o->config_libs))
		return tool_bad_operand("--static goes with --runtime --libs");
	if ((o->config_prefix || o->config_cflags || o->config_libs) &&
	    (!prefix || !is_installed(prefix, &header))) {
		tool_message(MSG_FILE_READ, header.s ? header.s :
			CETANE_INCLUDEDIR "/cetane_rt.h",
			"this command is not in an installed tree");
		status = TOOL_ENVIRONMENT;
	} else {
		print(o, prefix ? prefix : "");
	}
	poly_str_free(&header);
	return status;
}

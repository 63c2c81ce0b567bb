/* --version, and with --verbose the versions of what compilations use. */
#include <stdio.h>
#include <string.h>

#include <isl/version.h>

#include "tools/lib/object/object.h"
#include "tools/tools.h"

enum tool_exit tool_print_version(bool verbose)
{
	enum tool_exit status = TOOL_OK;
	struct nvptx_found found;
	char isl[64];

	printf("cetane %s\n", CETANE_VERSION);
	if (!verbose)
		return TOOL_OK;
	if (!nvptx_find(&found, false))
		status = tool_no_memory("the versions");
	tool_isl_version(isl, sizeof(isl));
	printf("LLVM %s\nisl %s\n", found.llvm, isl);
	if (status == TOOL_OK && found.ptxas)
		printf("ptxas %s, %s\n", found.ptxas_version ?
			found.ptxas_version : "unknown", found.ptxas);
	else if (status == TOOL_OK)
		printf("ptxas none\n");
	nvptx_found_free(&found);
	return status;
}

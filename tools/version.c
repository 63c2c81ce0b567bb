/* --version, and with --verbose the versions of what compilations use. */
#include <stdio.h>
#include <string.h>

#include <isl/version.h>

#include "tools/tools.h"

void tool_print_version(bool verbose)
{
	struct nvptx_found found;
	char isl[64];

	printf("cetane %s\n", CETANE_VERSION);
	if (!verbose)
		return;
	nvptx_find(&found, false);
	tool_isl_version(isl, sizeof(isl));
	printf("LLVM %s\nisl %s\n", found.llvm, isl);
	if (found.ptxas)
		printf("ptxas %s, %s\n", found.ptxas_version ?
			found.ptxas_version : "unknown", found.ptxas);
	else
		printf("ptxas none\n");
	nvptx_found_free(&found);
}

/* Fuzz the reader of what assemblers remark about kernels. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "nvptx/assemble/assemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct poly_report report = { 0 };
	struct poly_str log = { 0 };
	struct nvptx_usage *usage;
	int i, n;

	poly_str_addn(&log, (const char *)data, size);
	if (nvptx_usage_parse(&log, "fuzz", &usage, &n, &report) !=
		isl_stat_ok)
		abort();
	for (i = 0; i < n; i++)
		if (usage[i].registers < 0 || usage[i].constant < 0 ||
			usage[i].stack < 0 || usage[i].spill_loads < 0)
			abort();
	nvptx_usage_free(usage, n);
	poly_str_free(&log);
	poly_report_free(&report);
	return 0;
}

/* What tests of rewrites of LLVM IR share (rewritten.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "nvptx/optimise/optimise.h"
#include "rewritten.h"

int occurrences(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

struct poly_str rewritten(const char *head, const char *body,
	void (*rewrite)(struct nvptx_module *m))
{
	struct nvptx_options o = {
		.device = NVPTX_GPU, .target = nvptx_target_find("sm_90a"),
	};
	struct poly_report report = { 0 };
	struct poly_str source = { 0 }, text = { 0 };
	struct nvptx_module *m;

	poly_str_printf(&source, "%s {\n%s}\n", head, body);
	m = nvptx_read(source.s, source.len, &o, &report);
	assert_non_null(m);
	if (rewrite)
		rewrite(m);
	assert_int_equal(nvptx_verify(m, &report), isl_stat_ok);
	nvptx_print(m, &text);
	nvptx_module_free(m);
	assert_int_equal(report.n_msg, 0);
	poly_str_free(&source);
	return text;
}

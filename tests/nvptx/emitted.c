/* From LLVM IR as text to PTX and cubins. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emitted.h"
#include "nvptx/math/math.h"

struct nvptx_options gpu(const char *name)
{
	struct nvptx_options o = {
		.device = NVPTX_GPU, .target = nvptx_target_find(name),
	};

	assert_non_null(o.target);
	return o;
}

struct nvptx_module *read_text(const char *text,
	const struct nvptx_options *o, struct poly_report *report)
{
	return nvptx_read(text, strlen(text), o, report);
}

/* The last message of "report" is number "id" and holds "part"; the report is
 * emptied.
 */
void expect_message(struct poly_report *report, enum poly_msg id,
	const char *part)
{
	const struct poly_message *m;

	assert_true(report->n_msg > 0);
	m = &report->msg[report->n_msg - 1];
	if (m->number != (int) id || !strstr(m->text, part))
		print_error("message %d: %s\n", m->number, m->text);
	assert_int_equal(m->number, id);
	assert_non_null(strstr(m->text, part));
	poly_report_free(report);
	*report = (struct poly_report) { 0 };
}

void expect_silence(struct poly_report *report)
{
	for (int i = 0; i < report->n_msg; i++)
		print_error("message: %s\n", report->msg[i].text);
	assert_int_equal(report->n_msg, 0);
	poly_report_free(report);
}

/* PTX of "text" for "target", through all stages. */
struct poly_str ptx_of(const char *text, const char *target)
{
	struct nvptx_options o = gpu(target);
	struct poly_report report = { 0 };
	struct nvptx_module *m = read_text(text, &o, &report);
	struct poly_str ptx = { 0 };

	assert_non_null(m);
	assert_null(nvptx_module_plan(m));
	assert_int_equal(nvptx_opt(m, &report), isl_stat_ok);
	assert_int_equal(nvptx_emit_ptx(m, &ptx, &report), isl_stat_ok);
	nvptx_module_free(m);
	expect_silence(&report);
	return ptx;
}

bool have_ptxas(void)
{
	char *path = nvptx_ptxas_find();

	free(path);
	if (!path)
		print_message("no ptxas on this machine: not assembled\n");
	return path;
}

void assemble(const struct poly_str *ptx, const char *target,
	struct nvptx_usage *first)
{
	struct poly_str cubin = { 0 };
	struct poly_report report = { 0 };
	struct nvptx_usage *usage = NULL;
	int n = 0;

	if (nvptx_assemble(ptx, nvptx_target_find(target), &cubin, &usage, &n,
			&report) < 0)
		print_error("%s: %s\n", target, report.msg[0].text);
	expect_silence(&report);
	assert_true(cubin.len > 4);
	assert_memory_equal(cubin.s, "\177ELF", 4);
	assert_int_equal(n, 1);
	*first = usage[0];
	assert_string_equal(first->kernel, "k");
	assert_int_equal(first->stack, 0);
	assert_int_equal(first->spill_loads, 0);
	assert_int_equal(first->spill_stores, 0);
	nvptx_usage_free(usage, n);
	poly_str_free(&cubin);
}

/* Copies of a program: what its text says, and what the passes were asked. */
#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"

struct poly_prog *poly_copy_of_text(struct poly_prog *prog,
	const struct poly_str *text, struct poly_report *report)
{
	struct poly_prog *copy = text->failed ? NULL :
		poly_parse(prog->ctx, text->s, text->len, report);

	if (!copy)
		return NULL;
	copy->target = prog->target;
	copy->request = prog->request;
	copy->trial = prog->trial;
	copy->try_passes = prog->try_passes;
	return copy;
}

struct poly_prog *poly_copy(struct poly_prog *prog,
	struct poly_report *report)
{
	struct poly_str text = { 0 };
	struct poly_prog *copy;

	poly_print(prog, &text);
	copy = poly_copy_of_text(prog, &text, report);
	poly_str_free(&text);
	return copy;
}

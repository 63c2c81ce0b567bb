/* cetane inspect: in which order a program is launched, where that is not one after the
 * other:
 *
 *	order of launches
 *	  for h0 = 2 while h0 < 12
 *	    at one time, behind what is in front of this and in front of what is behind
 *	    it: for h1 = max(1, h0 - 7) while h1 < min(5, h0)
 *	      lstm_h
 */
#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"

static bool is_at_one_time(const struct cetane_rt_record *r)
{
	for (int i = 0; i < r->n_step; i++)
		if (r->step[i].kind == CETANE_RT_EACH)
			return true;
	return false;
}

/* Append what the loop or condition "step" says. */
static void add_head(const struct cetane_rt_record *r,
	const struct cetane_rt_step *step, struct poly_str *out)
{
	bool loop = cetane_rt_is_loop(step);

	if (loop) {
		poly_str_printf(out, "for h%d = ", step->index);
		tool_formula_text(r, &step->formula[0], out);
	}
	poly_str_add(out, loop ? " while " : "if ");
	tool_formula_text(r, &step->formula[loop], out);
	if (loop) {
		poly_str_add(out, ", in steps of ");
		tool_formula_text(r, &step->formula[2], out);
	}
	poly_str_add(out, "\n");
}

void tool_order_text(const struct cetane_rt_record *r, struct poly_str *out)
{
	int depth = 1;

	if (!is_at_one_time(r))
		return;
	poly_str_add(out, "order of launches\n");
	for (int i = 0; i < r->n_step; i++) {
		const struct cetane_rt_step *step = &r->step[i];

		if (step->kind == CETANE_RT_END) {
			depth--;
			continue;
		}
		poly_str_printf(out, "%*s", 2 * depth, "");
		if (step->kind == CETANE_RT_EACH)
			poly_str_printf(out, "at one time, behind what is in "
				"front of this and in front of what is behind\n"
				"%*sit: ", 2 * depth, "");
		if (step->kind == CETANE_RT_LAUNCH) {
			poly_str_printf(out, "%s\n",
				r->kernel[step->index].name);
			continue;
		}
		add_head(r, step, out);
		depth++;
	}
}

/* Append one step as an object of JSON; "any": one stands in front of it. */
static void add_step(const struct cetane_rt_record *r,
	const struct cetane_rt_step *step, bool any, struct poly_str *out)
{
	struct poly_str head = { 0 };

	poly_str_add(out, any ? ",\n    " : "\n    ");
	if (step->kind == CETANE_RT_LAUNCH) {
		poly_str_add(out, "{\"launch\": ");
		tool_json_text(out, r->kernel[step->index].name);
		poly_str_add(out, "}");
		return;
	}
	add_head(r, step, &head);
	if (head.s && head.len)
		head.s[head.len - 1] = '\0';
	poly_str_printf(out, "{\"at_one_time\": %s, \"head\": ",
		step->kind == CETANE_RT_EACH ? "true" : "false");
	tool_json_text(out, head.s ? head.s : "");
	poly_str_add(out, ", \"body\": [");
	if (head.failed)
		poly_str_fail(out);
	poly_str_free(&head);
}

void tool_order_json(const struct cetane_rt_record *r, struct poly_str *out)
{
	bool any = false;

	if (!is_at_one_time(r))
		return;
	poly_str_add(out, "  \"order\": [");
	for (int i = 0; i < r->n_step; i++) {
		if (r->step[i].kind == CETANE_RT_END)
			poly_str_add(out, "]}");
		else
			add_step(r, &r->step[i], any, out);
		any = r->step[i].kind == CETANE_RT_END ||
			r->step[i].kind == CETANE_RT_LAUNCH;
	}
	poly_str_add(out, "],\n");
}

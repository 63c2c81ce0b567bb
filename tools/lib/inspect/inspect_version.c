/* cetane inspect: the versions of a program, of a source and of an artifact
 * alike.
 */
#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"

/* ------------------------------------------------------------------- text */

/* Append version "i": its condition, its cost and the kernels that it runs. A
 * formula of the cost may name the values of those before it, h0 and so on; the
 * last value is what the version takes.
 */
static void add_version(const struct cetane_rt_record *r, int i,
	struct poly_str *out)
{
	const struct cetane_rt_version *v = &r->version[i];
	int k;

	poly_str_printf(out, "    version %d: if ", i);
	tool_formula_text(r, &v->condition, out);
	poly_str_add(out, v->aligned ? ", for aligned arrays\n" : "\n");
	for (k = 0; k < v->n_cost; k++) {
		poly_str_printf(out, "      %s h%d = ", k ? "     " : "takes",
			k);
		tool_formula_text(r, &v->cost[k], out);
		poly_str_add(out, "\n");
	}
	for (k = v->first; k < v->first + v->n_step; k++)
		if (r->step[k].kind == CETANE_RT_LAUNCH)
			poly_str_printf(out, "      runs %s\n",
				r->kernel[r->step[k].index].name);
}

void tool_versions_text(const struct cetane_rt_record *r, struct poly_str *out)
{
	int i;

	for (i = 0; i < r->n_version; i++)
		add_version(r, i, out);
}

/* ------------------------------------------------------------------- JSON */

/* Append the formula "f" as a JSON string. */
static void add_formula(const struct cetane_rt_record *r,
	const struct cetane_rt_formula *f, struct poly_str *out)
{
	struct poly_str text = { 0 };

	tool_formula_text(r, f, &text);
	if (text.failed)
		poly_str_fail(out);
	tool_json_text(out, text.s ? text.s : "");
	poly_str_free(&text);
}

/* Append the kernels that version "v" launches, which ends the object. */
static void add_runs(const struct cetane_rt_record *r,
	const struct cetane_rt_version *v, struct poly_str *out)
{
	const char *before = "";
	int k;

	poly_str_add(out, ",\n     \"runs\": [");
	for (k = v->first; k < v->first + v->n_step; k++) {
		if (r->step[k].kind != CETANE_RT_LAUNCH)
			continue;
		poly_str_add(out, before);
		tool_json_text(out, r->kernel[r->step[k].index].name);
		before = ", ";
	}
	poly_str_add(out, "]}");
}

void tool_versions_json(const struct cetane_rt_record *r, struct poly_str *out)
{
	int i, k;

	poly_str_add(out, "[");
	for (i = 0; i < r->n_version; i++) {
		const struct cetane_rt_version *v = &r->version[i];

		poly_str_add(out, i ? ",\n    {\"condition\": " :
			"\n    {\"condition\": ");
		add_formula(r, &v->condition, out);
		poly_str_printf(out, ", \"aligned\": %s,\n     \"takes\": [",
			v->aligned ? "true" : "false");
		for (k = 0; k < v->n_cost; k++) {
			poly_str_add(out, k ? ", " : "");
			add_formula(r, &v->cost[k], out);
		}
		poly_str_add(out, "]");
		add_runs(r, v, out);
	}
	poly_str_add(out, "]");
}

/* Versions of a program with products whose sizes are not fixed (polyir/version.c):
 * which ones there are, and their way through the compiler, beside that of the
 * program that is right for all sizes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/lib/lib.h"

/* The most versions, but for one program divided in several ways, and kernels of
 * all of them.
 */
enum { MOST = 32, MOST_KERNELS = 12 };

/* Compile v->prog, unless it is NULL, as c->prog was but for dumps and what "o"
 * says, for "sizes", which are taken. False if it cannot be.
 */
static bool compile_version(struct tool_compile *c, struct poly_version *v,
	__isl_take isl_set *sizes, const struct poly_options *o)
{
	bool ok;

	if (v->prog)
		poly_assume_sizes(v->prog, sizes);
	else
		isl_set_free(sizes);
	ok = v->prog && poly_compile(&v->prog, o) == isl_stat_ok;
	if (poly_ctx_spent(c->ctx)) {
		tool_renew_budget(c);
		return false;
	}
	return ok;
}

/* The program once more, which a version owns; what it has to say is dropped. */
static struct poly_prog *lower_again(struct tool_compile *c,
	struct poly_report *report)
{
	poly_ctx_budget(c->ctx, POLY_BUDGET);
	return tool_lower(c, report);
}

/* Let "v", whose compilation has come to an end, be about c->report if "ok". */
static bool end_version(struct tool_compile *c, struct poly_version *v,
	struct poly_report *report, bool ok)
{
	if (v->prog)
		v->prog->report = &c->report;
	poly_report_free(report);
	if (!ok)
		poly_version_clear(v);
	return ok;
}

/* The options of a version. */
static struct poly_options version_options(const struct tool_compile *c)
{
	struct poly_options o = c->poly;

	o.dump_after = NULL;
	o.time = false;
	o.search = NULL;
	o.choice = NULL;
	return o;
}

/* Compile the version "v" for v->sizes. */
static bool make_version(struct tool_compile *c, struct poly_version *v,
	const struct poly_options *o)
{
	struct poly_report report = { 0 };

	v->prog = lower_again(c, &report);
	return end_version(c, v, &report, compile_version(c, v,
		isl_set_copy(v->sizes), o));
}

/* Append the version "i" of "choice", or if i < 0 that with the usual choice of
 * blocks, for "sizes", if it can be compiled.
 */
static void add_version(struct tool_compile *c, __isl_keep isl_set *sizes,
	const struct poly_choice *choice, int i)
{
	struct poly_version *v = &c->version[c->n_version];
	struct poly_options o = version_options(c);
	struct poly_division whole = { 0 };

	*v = (struct poly_version){ .sizes = isl_set_copy(sizes) };
	if (i >= 0) {
		o.config = poly_choice_config(choice, i);
		v->sizes = isl_set_intersect(v->sizes,
			poly_choice_sizes(choice, i, whole));
	}
	poly_choice_cost(choice, i, whole, &v->cost);
	if (!v->cost.points[0])
		v->cost.more = 1;
	if (i >= 0 && !o.config)
		poly_version_clear(v);
	else
		c->n_version += make_version(c, v, &o);
	if (i >= 0)
		poly_config_free(o.config);
}

/* Let "v" be the program of configuration "i" of "choice", with a sum in parts. */
static bool make_divided(struct tool_compile *c, struct poly_version *v,
	const struct poly_choice *choice, int i)
{
	struct poly_options o = version_options(c);
	struct poly_report report = { 0 };
	isl_set *sizes, *aligned;
	bool ok = false;

	v->prog = lower_again(c, &report);
	o.config = poly_choice_config(choice, i);
	if (v->prog && o.config && poly_reshape(v->prog,
		poly_choice_divided(choice, i))) {
		sizes = poly_choice_parts(choice, i, v->prog);
		aligned = poly_aligned_sizes(v->prog);
		if (aligned)
			sizes = isl_set_intersect(sizes, aligned);
		ok = compile_version(c, v, sizes, &o);
	}
	poly_config_free(o.config);
	return end_version(c, v, &report, ok);
}

/* Append the versions of configuration "i" of "choice", whose sum is divided in all
 * ways: one program, if it can be compiled.
 */
static void add_divided(struct tool_compile *c, __isl_keep isl_set *sizes,
	const struct poly_choice *choice, int i)
{
	struct poly_version first = { .like = 0 };
	const struct poly_division *d;
	int n;

	if (!make_divided(c, &first, choice, i))
		return;
	d = poly_choice_divisions(&n);
	for (int k = 0; k < n; k++) {
		struct poly_version *v = &c->version[c->n_version + k];

		*v = (struct poly_version){ .prog = first.prog,
			.division = d[k], .like = k ? c->n_version + 1 : 0 };
		v->sizes = isl_set_intersect(isl_set_copy(sizes),
			poly_choice_sizes(choice, i, d[k]));
		poly_choice_cost(choice, i, d[k], &v->cost);
	}
	c->n_version += n;
}

/* How many versions there may be. */
static int most_versions(const struct tool_options *o)
{
	return o->versions < MOST ? (int)o->versions : MOST;
}

/* Are there any to be made? Texts of programs have none. */
static bool has_versions(const struct tool_compile *c)
{
	return c->unit && c->poly.choice &&
		c->poly.mapping == POLY_MAP_TILED && !c->poly.stop_after &&
		c->stages & 1u << TOOL_STAGE_NVPTX_LOWER &&
		poly_wants_versions(c->prog);
}

/* The kernels that there may be beside those of c->prog. */
static int most_kernels(const struct tool_compile *c)
{
	int n = c->prog->n_kernel, all = n * most_versions(c->options);

	return (all < MOST_KERNELS ? all : MOST_KERNELS) - n;
}

/* The versions for "sizes". What the user has configured is for all. */
static void add_versions(struct tool_compile *c, __isl_keep isl_set *sizes,
	struct poly_choice *choice)
{
	struct poly_version probe = { .sizes = isl_set_copy(sizes) };
	struct poly_options o = version_options(c);
	int i, n = 0;

	o.stop_after = "map_tiles";
	o.choice = choice;
	if (make_version(c, &probe, &o) && !c->poly.config)
		n = poly_choose(choice, c->prog->n_kernel, most_kernels(c));
	for (i = 0; i < n; i++)
		if (poly_choice_divided(choice, i))
			add_divided(c, sizes, choice, i);
		else
			add_version(c, sizes, choice, i);
	if (!n)
		add_version(c, sizes, choice, -1);
	poly_version_clear(&probe);
}

bool tool_make_versions(struct tool_compile *c)
{
	struct poly_choice *choice;
	isl_set *sizes;
	int n;

	if (!has_versions(c))
		return true;
	poly_choice_divisions(&n);
	c->version = calloc((size_t)(most_versions(c->options) * n),
		sizeof(*c->version));
	choice = poly_choice_alloc();
	sizes = poly_aligned_sizes(c->prog);
	poly_choice_cost(c->poly.choice, -1, (struct poly_division){ 0 },
		&c->cost);
	if (!c->cost.points[0])
		c->cost.more = INT64_MAX / 2;
	if (c->version && choice && sizes)
		add_versions(c, sizes, choice);
	isl_set_free(sizes);
	poly_choice_free(choice);
	return c->version && choice;
}

/* Let what $CETANE_DEBUG names cost nothing. */
static void set_cheapest(struct poly_version *list, int n)
{
	char flag[32];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(flag, sizeof(flag), "version%d", i);
		if (tool_has_debug_flag(flag))
			list[i].cost = (struct poly_cost){ .more = 0 };
	}
}

struct nvptx_module *tool_lower_versions(struct tool_compile *c)
{
	int n = c->n_version + 1, i;
	struct poly_version *list = calloc((size_t)n, sizeof(*list));
	struct nvptx_module *m = NULL;

	if (!list)
		return NULL;
	list[0] = (struct poly_version){ .prog = c->prog, .cost = c->cost };
	for (i = 1; i < n; i++)
		list[i] = c->version[i - 1];
	set_cheapest(list, n);
	m = nvptx_lower_versions(list, n, &c->nvptx, &c->report);
	free(list);
	if (m || n == 1)
		return m;
	poly_report_drop_errors(&c->report);
	return nvptx_lower(c->prog, &c->nvptx, &c->report);
}

void tool_versions_free(struct tool_compile *c)
{
	int i;

	for (i = 0; i < c->n_version; i++)
		poly_version_clear(&c->version[i]);
	free(c->version);
	poly_cost_clear(&c->cost);
	poly_choice_free(c->poly.choice);
}

/* Versions of a program with products whose sizes are not fixed (polyir/version.c):
 * which ones there are, and their way through the compiler, beside that of the
 * program that is right for all sizes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/lib/lib.h"

/* The most versions, and kernels of all of them. */
enum { MOST = 32, MOST_KERNELS = 12 };

/* The program once more, for "sizes" alone, compiled as c->prog was but for
 * dumps and what "o" says. False if it cannot be.
 */
static bool compile_version(struct tool_compile *c, struct poly_version *v,
	const struct poly_options *o)
{
	struct poly_report report = { 0 };
	bool ok;

	poly_ctx_budget(c->ctx, POLY_BUDGET);
	v->prog = tool_lower(c, &report);
	if (v->prog)
		poly_assume_sizes(v->prog, isl_set_copy(v->sizes));
	ok = v->prog && poly_compile(&v->prog, o) == isl_stat_ok;
	if (v->prog)
		v->prog->report = &c->report;
	poly_report_free(&report);
	if (poly_ctx_spent(c->ctx)) {
		isl_ctx_reset_error(c->ctx);
		poly_ctx_budget(c->ctx, POLY_BUDGET);
		c->spent = true;
		return false;
	}
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

/* Append the version "i" of "choice", or if i < 0 that with the usual choice of
 * blocks, for "sizes", if it can be compiled.
 */
static void add_version(struct tool_compile *c, __isl_keep isl_set *sizes,
	const struct poly_choice *choice, int i)
{
	struct poly_version *v = &c->version[c->n_version];
	struct poly_options o = version_options(c);

	*v = (struct poly_version){ .sizes = isl_set_copy(sizes) };
	if (i >= 0)
		o.config = poly_choice_config(choice, i);
	poly_choice_cost(choice, i, &v->cost);
	if (!v->cost.points[0])
		v->cost.more = 1;
	if ((i < 0 || o.config) && compile_version(c, v, &o))
		c->n_version++;
	else
		poly_version_clear(v);
	if (i >= 0)
		poly_config_free(o.config);
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

/* The versions for "sizes". What the user has configured is for all. */
static void add_versions(struct tool_compile *c, __isl_keep isl_set *sizes,
	struct poly_choice *choice)
{
	struct poly_version probe = { .sizes = isl_set_copy(sizes) };
	struct poly_options o = version_options(c);
	int i, n = 0;

	o.stop_after = "map_tiles";
	o.choice = choice;
	if (compile_version(c, &probe, &o) && !c->poly.config)
		n = poly_choose(choice, most_versions(c->options) - 1,
			MOST_KERNELS - c->prog->n_kernel);
	for (i = 0; i < n; i++)
		add_version(c, sizes, choice, i);
	if (!n)
		add_version(c, sizes, choice, -1);
	poly_version_clear(&probe);
}

bool tool_make_versions(struct tool_compile *c)
{
	struct poly_choice *choice;
	isl_set *sizes;

	if (!has_versions(c))
		return true;
	c->version = calloc((size_t)most_versions(c->options),
		sizeof(*c->version));
	choice = poly_choice_alloc();
	sizes = poly_aligned_sizes(c->prog);
	poly_choice_cost(c->poly.choice, -1, &c->cost);
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

/* Versions of a program with products or rows whose sizes are not fixed
 * (polyir/tune/version.c): which ones there are, and their way through the
 * compiler, beside that of the program that is right for all sizes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "polyir/layout/layout.h"
#include "tools/lib/compile/compile.h"

/* The most versions, but for those that share their kernels, and kernels of all of
 * them, where they are of products and where of rows.
 */
enum { MOST = 32, MOST_KERNELS = 12, MOST_ROW_KERNELS = 20 };
/* The longest rows of a version whose threads hold whole rows: the lengths that serve
 * the most sizes come first. The last ones take clusters of blocks, and are left out
 * where there are none.
 */
static const int rows[] = { 4096, 1024, 16384, 256, 32768, 65536, 131072 };
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Compile v->prog, unless it is NULL, as c->prog was but for dumps and what "o"
 * says, for "sizes", which are taken; NULL: those that it is for. False if it cannot be.
 */
static bool compile_version(struct tool_compile *c, struct poly_version *v,
	__isl_take isl_set *sizes, const struct poly_options *o)
{
	bool ok;

	if (v->prog && sizes)
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

/* Let "v", whose compilation has come to an end, be about c->report if "ok". All versions
 * share the maps of the caller's arrays, so none may copy boxes of them in another shape,
 * as parts of a sum would.
 */
static bool end_version(struct tool_compile *c, struct poly_version *v,
	struct poly_report *report, bool ok)
{
	if (v->prog)
		v->prog->report = &c->report;
	poly_report_free(report);
	ok = ok && poly_boxes_are_of(v->prog, c->prog);
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
	o.request.search = NULL;
	o.request.record = NULL;
	o.request.choice = NULL;
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

/* Let "v", which is for v->sizes, be the program of configuration "i" of "choice":
 * with a sum in parts if that divides it, and, if that may be, with a share of the
 * points along the axes.
 */
static bool make_chosen(struct tool_compile *c, struct poly_version *v,
	const struct poly_choice *choice, int i)
{
	const char *divided = poly_choice_divided(choice, i);
	struct poly_options o = version_options(c);
	struct poly_report report = { 0 };
	isl_set *sizes, *more;
	bool ok;

	v->prog = lower_again(c, &report);
	o.request.config = poly_choice_config(choice, i);
	ok = v->prog && o.request.config &&
		(!divided || poly_reshape(v->prog, divided));
	for (int d = 0; d < 2 && ok; d++) {
		const char *shared = poly_choice_shared(choice, i, d);

		if (shared && poly_can_take(v->prog, shared))
			ok = poly_take(v->prog, shared, d, divided != NULL);
	}
	if (ok) {
		sizes = poly_choice_hidden(choice, i, v->prog);
		more = divided ? poly_aligned_sizes(v->prog) :
			isl_set_copy(v->sizes);
		if (more)
			sizes = isl_set_intersect(sizes, more);
		ok = compile_version(c, v, sizes, &o);
	}
	poly_config_free(o.request.config);
	return end_version(c, v, &report, ok);
}

/* Append the version "i" of "choice", whose sum is whole, for "sizes", if it can be
 * compiled. Returns its number, or 0.
 */
static int add_whole(struct tool_compile *c, __isl_keep isl_set *sizes,
	const struct poly_choice *choice, int i)
{
	struct poly_version *v = &c->version[c->n_version];
	struct poly_division whole = { 0 };

	*v = (struct poly_version){ .sizes = isl_set_intersect(
		isl_set_copy(sizes), poly_choice_sizes(choice, i, whole)) };
	poly_choice_cost(choice, i, whole, &v->cost);
	if (!make_chosen(c, v, choice, i))
		return 0;
	return ++c->n_version;
}

/* Append the version with the usual choice of blocks for "sizes", if it can be
 * compiled.
 */
static void add_usual(struct tool_compile *c, __isl_keep isl_set *sizes,
	const struct poly_choice *choice)
{
	struct poly_version *v = &c->version[c->n_version];
	struct poly_options o = version_options(c);

	*v = (struct poly_version){ .sizes = isl_set_copy(sizes) };
	poly_choice_cost(choice, -1, (struct poly_division){ 0 }, &v->cost);
	if (!v->cost.points[0])
		v->cost.more = 1;
	c->n_version += make_version(c, v, &o);
}

/* Append the versions of configuration "i" of "choice", whose sum is divided in all
 * ways: one program, if it can be compiled. Returns the number of the first, or 0.
 */
static int add_divided(struct tool_compile *c, __isl_keep isl_set *sizes,
	const struct poly_choice *choice, int i)
{
	struct poly_version first = { .like = 0 };
	const struct poly_division *d;
	int n, number = c->n_version + 1;

	if (!make_chosen(c, &first, choice, i))
		return 0;
	d = poly_choice_divisions(&n);
	for (int k = 0; k < n; k++) {
		struct poly_version *v = &c->version[c->n_version + k];

		*v = (struct poly_version){ .prog = first.prog,
			.division = d[k], .like = k ? number : 0 };
		v->sizes = isl_set_intersect(isl_set_copy(sizes),
			poly_choice_sizes(choice, i, d[k]));
		poly_choice_cost(choice, i, d[k], &v->cost);
	}
	c->n_version += n;
	return number;
}

/* Append the versions that run version "main" for whole rounds of tiles and for the
 * others along "axis" version "rest", configuration "k" of "choice", whose sum is
 * divided in all ways. They have no kernels of their own.
 */
static void add_rests(struct tool_compile *c, const struct poly_choice *choice,
	int main, int rest, int k, int axis)
{
	const struct poly_version *like = &c->version[rest - 1];
	int n;

	poly_choice_divisions(&n);
	for (int d = 0; d < n; d++) {
		struct poly_version *v = &c->version[c->n_version++];

		*v = (struct poly_version){ .prog = like->prog, .main = main,
			.like = rest, .division = like[d].division,
			.sizes = isl_set_copy(like[d].sizes) };
		poly_choice_rest_cost(choice, k, axis, like[d].division,
			&v->cost);
	}
}

/* Do both programs have a share of the points along "axis", and that of version "main"
 * nothing to keep between kernels?
 */
static bool can_share(const struct tool_compile *c, int main, int rest, int axis)
{
	const struct poly_prog *first = c->version[main - 1].prog;
	const struct poly_prog *others = c->version[rest - 1].prog;

	return first->n_kernel == 1 &&
		poly_prog_hidden(first, POLY_FIRST_0 + axis) &&
		poly_prog_hidden(others, POLY_FIRST_0 + axis);
}

/* Append such versions for one pair of the "n" configurations of "choice", which are
 * the versions "number"; along axis 1 first.
 */
static void add_pair(struct tool_compile *c, const struct poly_choice *choice,
	const int *number, int n)
{
	for (int at = 0; at < n * n; at++) {
		int i = at / n, k = at % n;

		if (!number[i] || !number[k] || !poly_choice_fits(choice, i, k))
			continue;
		for (int axis = 1; axis >= 0; axis--)
			if (can_share(c, number[i], number[k], axis))
				add_rests(c, choice, number[i], number[k], k,
					axis);
		return;
	}
}

/* How many versions there may be. */
static int most_versions(const struct tool_options *o)
{
	return o->versions < MOST ? (int)o->versions : MOST;
}

/* Are there any to be made? Texts of programs have none. */
static bool has_versions(const struct tool_compile *c)
{
	return c->unit && c->poly.request.choice &&
		c->poly.mapping == POLY_MAP_TILED && !c->poly.stop_after &&
		c->stages & 1u << TOOL_STAGE_NVPTX_LOWER &&
		poly_has_open_sizes(c->prog);
}

/* The kernels that there may be beside those of c->prog. */
static int most_kernels(const struct tool_compile *c)
{
	int n = c->prog->n_kernel, all = n * most_versions(c->options);

	return (all < MOST_KERNELS ? all : MOST_KERNELS) - n;
}

/* Append the versions of the "n" configurations of "choice". */
static void add_chosen(struct tool_compile *c, __isl_keep isl_set *sizes,
	const struct poly_choice *choice, int n)
{
	int number[MOST];

	for (int i = 0; i < n; i++)
		number[i] = poly_choice_divided(choice, i) ?
			add_divided(c, sizes, choice, i) :
			add_whole(c, sizes, choice, i);
	add_pair(c, choice, number, n);
}

/* The versions for "sizes". What the user has configured is for all. */
static void add_versions(struct tool_compile *c, __isl_keep isl_set *sizes,
	struct poly_choice *choice)
{
	struct poly_version probe = { .sizes = isl_set_copy(sizes) };
	struct poly_options o = version_options(c);
	int n = 0;

	o.stop_after = "map_tiles";
	o.request.choice = choice;
	if (make_version(c, &probe, &o) && !c->poly.request.config)
		n = poly_choose(choice, c->prog->n_kernel, most_kernels(c));
	add_chosen(c, sizes, choice, n);
	if (!n)
		add_usual(c, sizes, choice);
	poly_version_clear(&probe);
}

/* Append the version for rows of at most "most" elements and, if that is not NULL, for
 * "sizes", if it can be compiled and has fewer kernels than the program for all sizes.
 */
static void add_short(struct tool_compile *c, __isl_keep isl_set *sizes,
	int most)
{
	struct poly_version *v = &c->version[c->n_version];
	struct poly_options o = version_options(c);
	struct poly_report report = { 0 };
	bool ok;

	*v = (struct poly_version){ .prog = lower_again(c, &report) };
	v->sizes = v->prog ? poly_short_sizes(v->prog, most) : NULL;
	if (v->sizes && sizes)
		v->sizes = isl_set_intersect(v->sizes, isl_set_copy(sizes));
	v->cost.more = 2 * (int64_t)most + !sizes;
	if (v->sizes)
		poly_assume_context(v->prog, isl_set_copy(v->sizes));
	ok = v->sizes && compile_version(c, v, NULL, &o) &&
		v->prog->n_kernel < c->prog->n_kernel;
	c->n_version += end_version(c, v, &report, ok);
}

/* The versions for rows that are short: for each length one for "sizes", unless that is
 * NULL, and one for all.
 */
static void add_rows(struct tool_compile *c, __isl_keep isl_set *sizes)
{
	for (int i = 0; i < 2 * N_ROWS; i++)
		if ((i % 2 || sizes) &&
		    c->n_version < most_versions(c->options) - 1 &&
		    c->n_version < MOST_ROW_KERNELS - c->prog->n_kernel)
			add_short(c, i % 2 ? NULL : sizes, rows[i / 2]);
}

bool tool_make_versions(struct tool_compile *c)
{
	struct poly_choice *choice;
	isl_set *sizes;
	int n;

	if (!has_versions(c))
		return true;
	poly_choice_divisions(&n);
	c->version = calloc((size_t)((most_versions(c->options) + 1) * n),
		sizeof(*c->version));
	choice = poly_choice_alloc();
	sizes = poly_aligned_sizes(c->prog);
	poly_choice_cost(c->poly.request.choice, -1, (struct poly_division){ 0 },
		&c->cost);
	if (!c->cost.points[0])
		c->cost.more = INT64_MAX / 2;
	if (c->version && choice && !poly_has_products(c->prog))
		add_rows(c, sizes);
	else if (c->version && choice && sizes)
		add_versions(c, sizes, choice);
	isl_set_free(sizes);
	poly_choice_free(choice);
	return c->version && choice;
}

/* Let what $CETANE_DEBUG names cost nothing, and have rounds of few blocks. */
static void set_cheapest(struct poly_version *list, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (!tool_debug_has(TOOL_DEBUG_VERSION, i))
			continue;
		list[i].cost.percent = 0;
		list[i].cost.more = 0;
		list[i].cost.multiprocessors = 1;
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
	poly_choice_free(c->poly.request.choice);
}

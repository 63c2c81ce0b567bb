/* cetane inspect --json SOURCE: the facts of inspect_text.c for programs to read.
 * What that has no line for has no key.
 */
#include <stdlib.h>

#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"

/* Formulas are texts here, too. */
static void add_formula(const struct tool_facts *f,
	const struct cetane_rt_formula *a, struct poly_str *out)
{
	struct poly_str text = { 0 };

	tool_formula_text(f->record, a, &text);
	tool_json_text(out, text.s ? text.s : "");
	poly_str_free(&text);
}

/* Append the sizes with the values that the facts are for.
 *
 * A size that was assumed is not marked: its value is given.
 */
static void add_sizes(const struct tool_facts *f, struct poly_str *out)
{
	const struct cetane_rt_record *r = f->record;
	int i;

	poly_str_add(out, "  \"sizes\": [");
	for (i = 0; i < r->n_size; i++) {
		poly_str_add(out, i ? ", {\"name\": " : "{\"name\": ");
		tool_json_text(out, r->size[i].name);
		poly_str_printf(out, ", \"value\": %lld, \"fixed\": %s}",
			(long long)f->size[i],
			r->size[i].fixed ? "true" : "false");
	}
	poly_str_add(out, "],\n");
}

/* Append the names of the statements that kernel "at" of the record runs.
 *
 * Of a part that is not compiled there are none.
 */
static void add_statements(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	struct poly_stmt **stmt;
	int i, n;

	stmt = poly_kernel_stmts(tool_facts_part(f, at)->prog,
		tool_facts_kernel(f, at), &n);
	poly_str_add(out, ",\n     \"statements\": [");
	for (i = 0; stmt && i < n; i++) {
		poly_str_add(out, i ? ", " : "");
		tool_json_text(out, stmt[i]->name);
	}
	poly_str_add(out, "]");
	free(stmt);
}

/* A value that is missing is an empty text. */
static void add_key(const char *key, const char *value, struct poly_str *out)
{
	poly_str_printf(out, ", \"%s\": ", key);
	tool_json_text(out, value ? value : "");
}

/* Append the loops of kernel "at", each with the dependence that it carries if
 * it is not parallel.
 *
 * A loop that is parallel carries nothing.
 */
static void add_loops(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	const struct tool_part *part = tool_facts_part(f, at);
	const struct poly_kernel *kernel = tool_facts_kernel(f, at);
	bool first = true;
	int i;

	poly_str_add(out, ",\n     \"loops\": [");
	for (i = 0; i < part->n_loop; i++) {
		const struct poly_loop *loop = &part->loop[i];

		if (loop->kernel != kernel)
			continue;
		poly_str_printf(out, "%s\n      {\"parallel\": %s",
			first ? "" : ",", loop->parallel ? "true" : "false");
		add_key("statement", loop->stmt->name, out);
		add_key("counts", loop->counts, out);
		if (loop->kind) {
			add_key("dependence", loop->kind, out);
			add_key("array", loop->array ? loop->array->name : "",
				out);
			add_key("source", loop->source, out);
			add_key("sink", loop->sink, out);
		}
		poly_str_add(out, "}");
		first = false;
	}
	poly_str_add(out, "]");
}

/* Append the grid of the kernel that runs, as formulas, and its blocks in the
 * largest and the smallest launch.
 *
 * x comes before y, as CUDA has them.
 */
static void add_grid(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct cetane_rt_kernel *k = tool_facts_running(f, at);
	struct tool_launches l = tool_facts_launches(f, at);

	poly_str_add(out, ",\n     \"grid\": [");
	add_formula(f, &k->n[1], out);
	poly_str_add(out, ", ");
	add_formula(f, &k->n[0], out);
	poly_str_printf(out, "], \"launches\": %lld, \"blocks\": [%lld, %lld], "
		"\"least_blocks\": [%lld, %lld]", (long long)l.n,
		(long long)l.most[1], (long long)l.most[0],
		(long long)l.least[1], (long long)l.least[0]);
}

/* "unit" is there only for a kernel that uses one. */
static void add_tile(const struct poly_kernel *kernel, struct poly_str *out)
{
	poly_str_printf(out, "\"tile\": [%d, %d, %d], ", kernel->tile[1],
		kernel->tile[0], kernel->tile_k);
	if (kernel->unit)
		poly_str_printf(out, "\"unit\": \"%s\", ",
			poly_unit_name(kernel->unit));
}

/* Append grid, block, tile and what the assembler says of kernel "at".
 *
 * Shared memory is the dynamic one and what the assembler has added.
 */
static void add_shape(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct cetane_rt_kernel *k = &f->record->kernel[at];
	const struct nvptx_usage *u = tool_facts_usage(f, k);

	add_grid(f, at, out);
	poly_str_printf(out, ",\n     \"block\": [%d, %d], ", k->thread[1],
		k->thread[0]);
	if (f->n_part)
		add_tile(tool_facts_kernel(f, at), out);
	poly_str_printf(out, "\"shared_bytes\": %d",
		k->shared_bytes + (u ? u->shared : 0));
	if (u)
		poly_str_printf(out, ",\n     \"registers\": %d, "
			"\"stack_bytes\": %d, \"spill_bytes\": %d",
			u->registers, u->stack,
			u->spill_stores + u->spill_loads);
}

/* Append how many blocks a multiprocessor takes, if an assembler has told.
 *
 * "limit" says what keeps it from being more.
 */
static void add_occupancy(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	struct nvptx_occupancy o;

	if (tool_facts_occupancy(f, &f->record->kernel[at], &o)) {
		poly_str_printf(out, ",\n     \"occupancy\": {\"blocks\": %d, "
			"\"warps\": %d, \"most_warps\": %d", o.blocks,
			o.warps, o.most_warps);
		add_key("limit", o.limit, out);
		poly_str_add(out, "}");
	}
}

/* Append operations and bytes of kernel "at"; "exact": they are no upper
 * bounds.
 *
 * Numbers of the whole launch at these sizes.
 */
static void add_work(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct poly_kernel_work *w = tool_facts_work(f, at);

	poly_str_printf(out, ",\n     \"operations\": %.0f, "
		"\"bytes_read\": %.0f, \"bytes_written\": %.0f, "
		"\"exact\": %s", w->operations, w->read, w->written,
		w->exact ? "true" : "false");
}

/* Append what all launches of kernel "at" are expected to take. */
static void add_price(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct poly_price *p = tool_facts_price(f, at);

	poly_str_printf(out, ",\n     \"parallel_iterations\": %.0f, "
		"\"predicted_us\": %.6g, "
		"\"predicted_cycles\": {\"all\": %.0f, \"fixed\": %.0f, "
		"\"memory\": %.0f, \"cache\": %.0f, \"shared\": %.0f,\n"
		"      \"instructions\": %.0f, \"thread\": %.0f, "
		"\"products\": %.0f}", p->width, p->us, p->cycles, p->fixed, p->memory,
		p->cache, p->shared, p->issue, p->chain, p->product);
}

/* Append what the accesses of the first warp of kernel "at" cost.
 *
 * "least" is the number of transactions that so many bytes need at least.
 */
static void add_accesses(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	const struct tool_part *part = tool_facts_part(f, at);
	const struct poly_kernel *kernel = tool_facts_kernel(f, at);
	bool first = true;
	int i;

	poly_str_add(out, ",\n     \"accesses\": [");
	for (i = 0; i < part->n_access; i++) {
		const struct poly_access *a = &part->access[i];

		if (a->kernel != kernel)
			continue;
		poly_str_printf(out, "%s\n      {\"statement\": ",
			first ? "" : ",");
		tool_json_text(out, a->stmt->name);
		poly_str_printf(out, ", \"line\": %d, \"array\": ",
			a->stmt->loc.line);
		tool_json_text(out, a->array->name);
		poly_str_printf(out, ", \"type\": \"%s\",\n       \"space\": "
			"\"%s\", \"write\": %s, \"lanes\": %d, \"vector\": %d,"
			" \"transactions\": %d, \"least\": %d, \"bulk\": %s}",
			poly_type_name(a->array->type),
			a->array->space == POLY_SHARED ? "shared" : "global",
			a->write ? "true" : "false", a->lanes, a->run,
			a->transactions, a->least,
			a->bulk ? "true" : "false");
		first = false;
	}
	poly_str_add(out, "]");
}

/* What the program tells of kernel "at". */
static void add_facts(const struct tool_facts *f, int at, struct poly_str *out)
{
	add_work(f, at, out);
	add_price(f, at, out);
	add_loops(f, at, out);
	add_accesses(f, at, out);
}

/* The remarks about blocks, or the others, behind another list.
 *
 * Both lists are made of the same report.
 */
static void add_remarks(const struct tool_facts *f, const char *name,
	bool blocks, struct poly_str *out)
{
	const struct poly_report *r = &f->compile->remark;
	const char *before = "\n    ";
	int i;

	poly_str_printf(out, "],\n  \"%s\": [", name);
	for (i = 0; i < r->n_msg; i++) {
		if ((r->msg[i].number == MSG_POLY_CHOICE) != blocks)
			continue;
		poly_str_add(out, before);
		tool_json_text(out, r->msg[i].text);
		before = ",\n    ";
	}
}

/* Append all kernels; one that only differs in its launches comes once.
 *
 * Repeats are those of the versions.
 */
static void add_kernels(const struct tool_facts *f, struct poly_str *out)
{
	const struct cetane_rt_record *r = f->record;
	int i;

	poly_str_add(out, "  \"kernels\": [");
	for (i = 0; i < r->n_kernel; i++) {
		if (tool_facts_repeats(f, i))
			continue;
		poly_str_add(out, i ? ",\n    {\"name\": " :
			"\n    {\"name\": ");
		tool_json_text(out, r->kernel[i].name);
		if (f->n_part)
			add_statements(f, i, out);
		add_shape(f, i, out);
		add_occupancy(f, i, out);
		if (f->n_part)
			add_facts(f, i, out);
		poly_str_add(out, "}");
	}
}

/* Append the versions, and which one runs at these sizes, if there are any.
 *
 * "version" is the number of the one that runs.
 */
static void add_versions(const struct tool_facts *f, struct poly_str *out)
{
	if (!f->record->n_version)
		return;
	poly_str_printf(out, "  \"version\": %d,\n  \"versions\": ",
		f->version);
	tool_versions_json(f->record, out);
	poly_str_add(out, ",\n");
}

/* Callback of tool_facts_pairs: append a pair. */
static void add_pair(const struct tool_facts *f, const struct tool_pair *pair,
	void *user)
{
	struct poly_str *out = user;

	poly_str_add(out, out->len ? ",\n    {\"from\": " :
		"\n    {\"from\": ");
	tool_json_text(out, f->record->kernel[pair->from].name);
	poly_str_add(out, ", \"to\": ");
	tool_json_text(out, f->record->kernel[pair->to].name);
	poly_str_add(out, ", \"array\": ");
	tool_json_text(out, pair->array);
	poly_str_printf(out, ", \"apart_cycles\": [%.0f, %.0f], "
		"\"as_one_cycles\": %.0f}", pair->first, pair->second,
		pair->together);
}

/* Append the times of kernels that depend on one another, behind another list. */
static void add_pairs(const struct tool_facts *f, struct poly_str *out)
{
	struct poly_str pairs = { 0 };

	tool_facts_pairs(f, add_pair, &pairs);
	poly_str_printf(out, "],\n  \"pairs\": [%s", pairs.s ? pairs.s : "");
	poly_str_free(&pairs);
}

/* The keys stand in a fixed order, so that two outputs can be compared as
 * texts.
 */
void tool_facts_json(const struct tool_facts *f, struct poly_str *out)
{
	double us;

	poly_str_add(out, "{\n  \"program\": ");
	tool_json_text(out, f->record->program);
	poly_str_printf(out, ",\n  \"arch\": \"%s\",\n  \"workspace_bytes\": "
		"%lld,\n  \"temporary_bytes\": %lld,\n",
		f->compile->nvptx.target->name, (long long)f->workspace,
		(long long)f->temporaries);
	if (f->n_part) {
		tool_facts_predicted(f, &us);
		poly_str_printf(out, "  \"predicted_us\": %.6g,\n", us);
	}
	add_sizes(f, out);
	add_versions(f, out);
	tool_order_json(f->record, out);
	add_kernels(f, out);
	add_remarks(f, "not_fused", false, out);
	if (f->compile->options->explain)
		add_pairs(f, out);
	if (f->compile->options->explain)
		add_remarks(f, "blocks", true, out);
	poly_str_add(out, "]\n}\n");
}

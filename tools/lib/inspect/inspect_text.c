/* cetane inspect SOURCE as text:
 *
 *	program fig2 for sm_90a
 *	sizes: M = 1024, K = 1024, N = 1024 (1024 where -D gives none)
 *	workspace: 0 bytes
 *
 *	kernel fig2_E
 *	  computes     D_init D_mul E_add
 *	  grid         (N + 63) / 64 x (M + 63) / 64: 16 x 16
 *	  block        16 x 16 threads
 *	  tile         64 x 64, 16 deep
 *	  shared       8256 bytes
 *	  registers    64, 0 bytes of stack, 0 bytes of spills
 *	  occupancy    4 blocks, 32 of 64 warps, limited by registers
 *	  work         2148532224 operations; reads 12582912, writes 4194304
 *	               bytes of global memory, each once
 *	  loops of each statement, from outside to inside
 *	    u_def, t: in turn, flow through u: u_def[0] before u_def[1]
 *	  accesses of a warp: sectors of global, passes over shared memory
 *	    line 5  reads  A         f32     sectors  4, at least  4
 *
 *	not fused
 *	  ...
 *
 * Pairs are x times y, as CUDA has them. A kernel that is launched in several
 * steps has the least and the most of their tiles: "1 x 1 to 16 x 16, 31
 * launches". With versions, their conditions and costs stand above the kernels. Of
 * LLVM IR there are grid, block, shared memory, registers and occupancy alone.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"

/* Append the sizes with the values that the facts are for. */
static void add_sizes(const struct tool_facts *f, struct poly_str *out)
{
	const struct cetane_rt_record *r = f->record;
	int i;

	for (i = 0; i < r->n_size; i++)
		poly_str_printf(out, "%s%s = %lld%s", i ? ", " : "sizes: ",
			r->size[i].name, (long long)f->size[i],
			r->size[i].fixed ? " (fixed)" : "");
	if (f->assumed)
		poly_str_printf(out, "; %d where -D gives none",
			TOOL_INSPECT_SIZE);
	if (r->n_size)
		poly_str_add(out, "\n");
}

/* Append the bytes of the workspace and the temporaries in it. Where there are
 * several, their sum tells how much memory they share.
 */
static void add_workspace(const struct tool_facts *f, struct poly_str *out)
{
	const struct cetane_rt_record *r = f->record;
	const char *before = ":";
	int i, d, n = 0;

	poly_str_printf(out, "workspace: %lld bytes",
		(long long)f->workspace);
	for (i = 0; i < r->n_array; i++)
		n += r->array[i].role == CETANE_RT_TEMP;
	if (n > 1)
		poly_str_printf(out, " for temporaries of %lld",
			(long long)f->temporaries);
	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->role != CETANE_RT_TEMP)
			continue;
		poly_str_printf(out, "%s %s %s", before, a->name, a->type);
		for (d = 0; d < a->n_dim; d++) {
			poly_str_add(out, "[");
			tool_formula_text(r, &a->extent[d], out);
			poly_str_add(out, "]");
		}
		before = ",";
	}
	poly_str_add(out, "\n");
}

static void add_versions(const struct tool_facts *f, struct poly_str *out)
{
	if (!f->record->n_version)
		return;
	poly_str_printf(out, "versions: %d; version %d runs at these sizes\n",
		f->record->n_version, f->version);
	tool_versions_text(f->record, out);
}

/* Append the names of the statements that kernel "at" of the record runs. */
static void add_statements(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	struct poly_stmt **stmt;
	int i, n;

	stmt = poly_kernel_stmts(tool_facts_part(f, at)->prog,
		tool_facts_kernel(f, at), &n);
	poly_str_add(out, "  computes    ");
	for (i = 0; stmt && i < n; i++)
		poly_str_printf(out, " %s", stmt[i]->name);
	poly_str_add(out, "\n");
	free(stmt);
}

/* Append one loop of a statement, with the dependence that it carries if it is
 * not parallel.
 */
static void add_loop(const struct poly_loop *loop, struct poly_str *out)
{
	poly_str_printf(out, "    %s, %s: %s", loop->stmt->name,
		loop->counts,
		loop->parallel ? "parallel" : "in turn");
	if (loop->kind)
		poly_str_printf(out, ", %s%s%s: %s before %s", loop->kind,
			loop->array ? " through " : "",
			loop->array ? loop->array->name : "",
			loop->source ? loop->source : "",
			loop->sink ? loop->sink : "");
	poly_str_add(out, "\n");
}

/* Append the loops of kernel "at", below a title if there are any. */
static void add_loops(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	const struct tool_part *part = tool_facts_part(f, at);
	const struct poly_kernel *kernel = tool_facts_kernel(f, at);
	bool any = false;
	int i;

	for (i = 0; i < part->n_loop; i++) {
		if (part->loop[i].kernel != kernel)
			continue;
		if (!any)
			poly_str_add(out, "  loops of each statement, from "
				"outside to inside\n");
		any = true;
		add_loop(&part->loop[i], out);
	}
}

/* Of one multiprocessor. */
static void add_occupancy(const struct tool_facts *f,
	const struct cetane_rt_kernel *k, struct poly_str *out)
{
	struct nvptx_occupancy o;

	if (tool_facts_occupancy(f, k, &o))
		poly_str_printf(out, "  occupancy    %d blocks, %d of %d "
			"warps, limited by %s\n", o.blocks, o.warps,
			o.most_warps, o.limit);
}

/* Of all launches. */
static void add_work(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct poly_kernel_work *w = tool_facts_work(f, at);

	poly_str_printf(out, "  work         %s%.0f operations; reads %.0f, "
		"writes %.0f\n               bytes of global memory, each "
		"once\n", w->exact ? "" : "at most ", w->operations, w->read,
		w->written);
}

/* What all launches of kernel "at" are expected to take, and where. */
static void add_price(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct poly_price *p = tool_facts_price(f, at);

	poly_str_printf(out, "  predicted    %.0f cycles, %.1f us%s: launches "
		"and barriers %.0f;\n               ", p->cycles, p->us,
		p->exact ? "" : " at most", p->fixed);
	if (p->product > 0)
		poly_str_printf(out, "products %.0f, memory %.0f\n",
			p->product, p->memory);
	else
		poly_str_printf(out, "memory %.0f, cache %.0f, shared %.0f, "
			"instructions %.0f, one thread %.0f\n", p->memory,
			p->cache, p->shared, p->issue, p->chain);
}

/* The tiles of all launches of kernel "at", and their number unless it is 1. */
static void add_launches(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	struct tool_launches l = tool_facts_launches(f, at);

	if (!l.n) {
		poly_str_add(out, ": no launch\n");
		return;
	}
	poly_str_printf(out, ": %lld x %lld", (long long)l.least[1],
		(long long)l.least[0]);
	if (memcmp(l.least, l.most, sizeof(l.least)))
		poly_str_printf(out, " to %lld x %lld", (long long)l.most[1],
			(long long)l.most[0]);
	if (l.n > 1)
		poly_str_printf(out, ", %s%lld launches",
			f->more_launches ? "more than " : "", (long long)l.n);
	poly_str_add(out, "\n");
}

/* Append grid and block of kernel "at", x before y as CUDA has them. */
static void add_grid(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct cetane_rt_kernel *k = tool_facts_running(f, at);

	poly_str_add(out, "  grid         ");
	tool_formula_text(f->record, &k->n[1], out);
	poly_str_add(out, " x ");
	tool_formula_text(f->record, &k->n[0], out);
	add_launches(f, at, out);
	poly_str_printf(out, "  block        %d x %d threads\n", k->thread[1],
		k->thread[0]);
}

/* The tiles that a block of kernel "at" has: more than one where each takes a warp. */
static int block_tiles(const struct tool_facts *f, int at)
{
	const struct cetane_rt_kernel *k = tool_facts_running(f, at);
	const struct poly_kernel *kernel = tool_facts_kernel(f, at);

	return kernel->tiled && !kernel->tile_k ? k->thread[0] * k->thread[1] /
		(kernel->thread[0] * kernel->thread[1]) : 1;
}

/* Append how threads share what kernel "at" does: a tile, or several a block, a point or
 * several each, or loops.
 */
static void add_tile(const struct tool_facts *f, int at, struct poly_str *out)
{
	const struct poly_kernel *kernel = tool_facts_kernel(f, at);
	int tiles = block_tiles(f, at);

	if (kernel->tiled)
		poly_str_printf(out, "  tile         %d x %d points",
			kernel->tile[1], kernel->tile[0]);
	else if (kernel->together)
		poly_str_add(out, "  tile         loops of blocks that wait "
			"for one another");
	else if (kernel->block)
		poly_str_add(out, kernel->apart ? "  tile         loops of "
			"each block, with barriers" : "  tile         loops of "
			"one block, with barriers");
	else if (kernel->vec_k > 1)
		poly_str_printf(out, "  tile         %d points side by side for each thread",
			kernel->vec_k);
	else
		poly_str_add(out, "  tile         a point for each thread");
	if (kernel->tiled && kernel->tile_k)
		poly_str_printf(out, ", %d deep", kernel->tile_k);
	if (tiles > 1)
		poly_str_printf(out, ", %d tiles a block", tiles);
	poly_str_add(out, "\n");
	if (kernel->unit)
		poly_str_printf(out, "  unit         %s\n",
			poly_unit_name(kernel->unit));
}

/* Append the tile, and what kernel "at" takes of shared memory and registers.
 */
static void add_resources(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	const struct cetane_rt_kernel *k = &f->record->kernel[at];
	const struct nvptx_usage *u = tool_facts_usage(f, k);

	if (f->n_part)
		add_tile(f, at, out);
	poly_str_printf(out, "  shared       %d bytes\n",
		k->shared_bytes + (u ? u->shared : 0));
	if (u)
		poly_str_printf(out, "  registers    %d, %d bytes of stack, "
			"%d bytes of spills\n", u->registers, u->stack,
			u->spill_stores + u->spill_loads);
	else
		poly_str_add(out, "  registers    unknown without an "
			"assembler\n");
}

/* The width of the longest name among the arrays that are accessed. */
static int name_width(const struct tool_part *part)
{
	int i, len, most = 0;

	for (i = 0; i < part->n_access; i++) {
		len = (int)strlen(part->access[i].array->name);
		if (len > most)
			most = len;
	}
	return most;
}

/* Append what one access of the first warp costs; "width" is that of array
 * names.
 */
static void add_access(const struct poly_access *a, int width,
	struct poly_str *out)
{
	poly_str_printf(out, "    line %-3d  %-6s  %-*s  %-4s  ",
		a->stmt->loc.line, a->write ? "writes" : "reads", width,
		a->array->name, poly_type_name(a->array->type));
	if (!a->lanes) {
		poly_str_add(out, "not by this warp\n");
		return;
	}
	poly_str_printf(out, "%-7s %2d, at least %2d",
		a->array->space == POLY_SHARED ? "passes" : "sectors",
		a->transactions, a->least);
	if (a->run > 1)
		poly_str_printf(out, ", %d elements at once", a->run);
	if (a->bulk)
		poly_str_add(out, ", in bulk");
	poly_str_add(out, "\n");
}

/* Append the accesses of kernel "at". */
static void add_accesses(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	const struct tool_part *part = tool_facts_part(f, at);
	int i, width = name_width(part);

	poly_str_add(out, "  accesses of the first warp: sectors of global, "
		"passes over shared memory\n");
	for (i = 0; i < part->n_access; i++)
		if (part->access[i].kernel == tool_facts_kernel(f, at))
			add_access(&part->access[i], width, out);
}

/* The remarks about blocks, or the others, below "title". */
static void add_remarks(const struct tool_facts *f, const char *title,
	bool blocks, struct poly_str *out)
{
	const struct poly_report *r = &f->compile->remark;
	bool first = true;
	int i;

	for (i = 0; i < r->n_msg; i++) {
		if ((r->msg[i].number == MSG_POLY_CHOICE) != blocks)
			continue;
		poly_str_printf(out, "%s%s  %s\n", first ? title : "",
			first ? "\n" : "", r->msg[i].text);
		first = false;
	}
}

/* Append kernel "at" of the record: all, or only its resources or its accesses,
 * as the options say. Without a program only the record is known.
 */
static void add_kernel(const struct tool_facts *f, int at,
	struct poly_str *out)
{
	const struct tool_options *o = f->compile->options;
	bool all = !o->resources && !o->access;

	poly_str_printf(out, "\nkernel %s\n", f->record->kernel[at].name);
	if (f->n_part)
		add_statements(f, at, out);
	if (all || o->resources) {
		add_grid(f, at, out);
		add_resources(f, at, out);
		add_occupancy(f, &f->record->kernel[at], out);
	}
	if (!f->n_part)
		return;
	if (all || o->resources)
		add_work(f, at, out);
	if (o->explain && (all || o->resources))
		add_price(f, at, out);
	if (all)
		add_loops(f, at, out);
	if (all || o->access)
		add_accesses(f, at, out);
}

/* Callback of tool_facts_pairs: append a pair. */
static void add_pair(const struct tool_facts *f, const struct tool_pair *pair,
	void *user)
{
	struct poly_str *out = user;

	poly_str_printf(out, "  %s and %s, through %s: apart %.0f + %.0f cycles, "
		"as one %.0f at least\n", f->record->kernel[pair->from].name,
		f->record->kernel[pair->to].name, pair->array, pair->first,
		pair->second, pair->together);
}

/* Append the times of kernels that depend on one another, if there are any. */
static void add_pairs(const struct tool_facts *f, struct poly_str *out)
{
	struct poly_str pairs = { 0 };

	tool_facts_pairs(f, add_pair, &pairs);
	if (pairs.len)
		poly_str_printf(out, "\napart or as one\n%s", pairs.s);
	poly_str_free(&pairs);
}

void tool_facts_text(const struct tool_facts *f, struct poly_str *out)
{
	const struct tool_options *o = f->compile->options;
	const struct cetane_rt_record *r = f->record;
	int i;

	poly_str_printf(out, "program %s for %s\n", r->program,
		f->compile->nvptx.target->name);
	add_sizes(f, out);
	add_workspace(f, out);
	add_versions(f, out);
	tool_order_text(r, out);
	for (i = 0; i < r->n_kernel; i++)
		if (!tool_facts_repeats(f, i))
			add_kernel(f, i, out);
	if (!o->resources && !o->access)
		add_remarks(f, "\nnot fused", false, out);
	if (o->explain)
		add_pairs(f, out);
	if (o->explain)
		tool_facts_roof(f, out);
	if (o->explain)
		add_remarks(f, "\nblocks", true, out);
}

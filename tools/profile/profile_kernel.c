/* What is known of a kernel beside its times: lines of the source, what it does, what
 * it takes, and what a model expects.
 */
#include <stdlib.h>

#include "polyir/base/gpu.h"
#include "tools/profile/profile.h"

/* Attributes of functions, as the CUDA driver numbers them. */
enum { SHARED_BYTES = 1, LOCAL_BYTES = 3, REGISTERS = 4 };

/* Keep "line" among those of "k", in order. */
static void add_line(struct tool_profile_kernel *k, int line)
{
	int i, j;

	for (i = 0; i < k->n_line && k->line[i] < line; i++)
		continue;
	if (line < 1 || k->n_line == TOOL_PROFILE_LINES ||
	    (i < k->n_line && k->line[i] == line))
		return;
	for (j = k->n_line++; j > i; j--)
		k->line[j] = k->line[j - 1];
	k->line[i] = line;
}

static void add_lines(struct tool_profile_kernel *k,
	const struct poly_stmt *stmt)
{
	int i;

	add_line(k, stmt->loc.line);
	for (i = 0; i < stmt->n_member; i++)
		add_lines(k, stmt->member[i]);
}

/* Lines of its statements, the type of what it writes, and its work. */
static enum tool_exit read_program(const struct tool_facts *f,
	struct tool_profile_kernel *k)
{
	const struct tool_part *part = tool_facts_part(f, k->at);
	const struct poly_kernel *kernel = tool_facts_kernel(f, k->at);
	struct poly_stmt **stmt;
	enum poly_type type;
	int i, n, size = 0;

	stmt = poly_kernel_stmts(part->prog, kernel, &n);
	if (!stmt)
		return tool_no_memory("the kernels");
	for (i = 0; i < n; i++)
		add_lines(k, stmt[i]);
	free(stmt);
	for (i = 0; i < part->n_access; i++) {
		type = part->access[i].array->type;
		if (part->access[i].kernel != kernel ||
		    !part->access[i].write || poly_type_size(type) <= size)
			continue;
		size = poly_type_size(type);
		k->type = poly_type_name(type);
	}
	k->work = *tool_facts_work(f, k->at);
	k->cycles = tool_facts_price(f, k->at)->cycles;
	if (kernel->unit)
		k->type = poly_unit_name(kernel->unit);
	return TOOL_OK;
}

/* What the assembler says. */
static void ask_assembler(const struct tool_facts *f,
	const struct cetane_rt_kernel *r, struct tool_profile_kernel *k)
{
	const struct nvptx_usage *u = tool_facts_usage(f, r);

	if (!tool_facts_occupancy(f, r, &k->occupancy))
		return;
	k->registers = u->registers;
	k->shared = r->shared_bytes + u->shared;
	k->local = u->stack;
}

/* What the driver says of the kernel as it was loaded. */
static enum tool_exit ask_driver(struct tool_profile *p,
	const struct cetane_rt_kernel *r, struct tool_profile_kernel *k)
{
	struct tool_cuda *g = &p->gpu;
	void *fn = cetane_rt_cuda_function(p->own.x.fn[k->at]);
	int shared = 0, blocks = 0, status;

	status = g->function_attribute(&k->registers, REGISTERS, fn);
	if (!status)
		status = g->function_attribute(&shared, SHARED_BYTES, fn);
	if (!status)
		status = g->function_attribute(&k->local, LOCAL_BYTES, fn);
	if (!status)
		status = g->occupancy(&blocks, fn, k->threads,
			(size_t)r->shared_bytes);
	k->shared = shared + r->shared_bytes;
	k->occupancy.blocks = blocks;
	k->occupancy.warps = blocks * ((k->threads + POLY_LANES - 1) / POLY_LANES);
	k->occupancy.most_warps = g->threads / POLY_LANES;
	return tool_cuda_judge(g, "cuFuncGetAttribute", status);
}

enum tool_exit tool_profile_describe(struct tool_profile *p,
	struct tool_profile_kernel *k)
{
	const struct cetane_rt_kernel *r = &p->facts.record->kernel[k->at];
	enum tool_exit status = TOOL_OK;

	k->threads = r->thread[0] * r->thread[1];
	k->registers = k->shared = k->local = -1;
	k->launches = tool_facts_launches(&p->facts, k->at).n;
	k->type = "";
	if (p->facts.n_part)
		status = read_program(&p->facts, k);
	ask_assembler(&p->facts, r, k);
	if (status == TOOL_OK && p->is_cuda)
		status = ask_driver(p, r, k);
	if (p->is_cuda && p->gpu.clock_mhz)
		k->predicted_ms = k->cycles / (1e3 * p->gpu.clock_mhz);
	return status;
}

void tool_profile_share(const struct tool_profile *p,
	struct tool_profile_kernel *k)
{
	if (p->is_cuda)
		k->share = tool_own_share(&p->gpu, p->copy_rate, k->type,
			k->work.operations, k->work.read + k->work.written,
			k->median);
}

/* cetane inspect SOURCE: the facts about a compiled program. */
#include <stdlib.h>
#include <string.h>

#include "tools/inspect.h"

/* The value that -D gives the size "name" of the text; false if none. */
static bool defined(const struct tool_options *o, const char *name,
	int64_t *value)
{
	int i;

	for (i = 0; i < o->n_define; i++)
		if (!strcmp(o->define[i].name, name)) {
			*value = o->define[i].value;
			return true;
		}
	return false;
}

static bool choose_sizes(struct tool_facts *f, const struct tool_options *o)
{
	const struct cetane_rt_record *r = f->record;
	int i;

	f->size = calloc((size_t)r->n_size + 1, sizeof(*f->size));
	for (i = 0; f->size && i < r->n_size; i++) {
		if (r->size[i].fixed) {
			f->size[i] = r->size[i].value;
		} else if (!defined(o, r->size[i].name, &f->size[i])) {
			f->size[i] = TOOL_INSPECT_SIZE;
			f->assumed = true;
		}
	}
	return f->size != NULL;
}

static enum tool_exit gather_work(struct tool_facts *f)
{
	struct poly_prog *prog = f->compile->prog;
	int i;

	f->work = calloc((size_t)prog->n_kernel + 1, sizeof(*f->work));
	for (i = 0; f->work && i < prog->n_kernel; i++)
		if (poly_kernel_work(prog, prog->kernel[i], f->size,
				&f->work[i]) < 0)
			break;
	if (i == prog->n_kernel)
		return TOOL_OK;
	tool_message(MSG_NO_MEMORY, "the kernels");
	return TOOL_ENVIRONMENT;
}

enum tool_exit tool_facts_gather(struct tool_facts *f,
	const struct tool_options *o, struct tool_compile *c)
{
	enum cetane_status s;

	f->compile = c;
	f->record = tool_record(nvptx_module_plan(c->module), c->unit,
		c->prog->name);
	if (!f->record)
		return TOOL_ENVIRONMENT;
	if (!choose_sizes(f, o)) {
		tool_message(MSG_NO_MEMORY, "the sizes");
		return TOOL_ENVIRONMENT;
	}
	s = cetane_rt_record_check(f->record, f->size);
	if (s == CETANE_OK)
		s = cetane_rt_record_layout(f->record, f->size, NULL,
			&f->workspace);
	if (s != CETANE_OK) {
		tool_device_error("the sizes", s);
		return TOOL_INPUT;
	}
	if (poly_accesses(c->prog, f->size, &f->access, &f->n_access) < 0) {
		tool_report_tell(&c->report);
		return TOOL_INTERNAL;
	}
	if (poly_loops(c->prog, &f->loop, &f->n_loop) < 0) {
		tool_report_tell(&c->report);
		return TOOL_INTERNAL;
	}
	return gather_work(f);
}

void tool_facts_free(struct tool_facts *f)
{
	cetane_rt_record_free(f->record);
	free(f->size);
	free(f->access);
	free(f->work);
	poly_loops_free(f->loop, f->n_loop);
	*f = (struct tool_facts){ 0 };
}

int64_t tool_facts_tiles(const struct tool_facts *f,
	const struct cetane_rt_kernel *k, int d)
{
	const int64_t iter[CETANE_RT_MAX_ITER] = { 0 };
	int64_t n;

	if (!cetane_rt_formula_value(&k->n[d], f->size, iter, &n))
		return 0;
	return n < 0 ? 0 : n;
}

const struct nvptx_usage *tool_facts_usage(const struct tool_facts *f,
	const struct cetane_rt_kernel *k)
{
	const struct tool_compile *c = f->compile;
	int i;

	for (i = 0; i < c->n_usage; i++)
		if (!strcmp(c->usage[i].kernel, k->name))
			return &c->usage[i];
	return NULL;
}

struct poly_kernel *tool_facts_kernel(const struct tool_facts *f,
	const struct cetane_rt_kernel *k)
{
	return poly_prog_find_kernel(f->compile->prog, k->name);
}

bool tool_facts_occupancy(const struct tool_facts *f,
	const struct cetane_rt_kernel *k, struct nvptx_occupancy *o)
{
	const struct nvptx_usage *u = tool_facts_usage(f, k);

	if (u)
		*o = nvptx_occupancy(f->compile->nvptx.target,
			k->thread[0] * k->thread[1], u->registers,
			k->shared_bytes + u->shared);
	return u != NULL;
}

const struct poly_kernel_work *tool_facts_work(const struct tool_facts *f,
	const struct poly_kernel *kernel)
{
	struct poly_kernel *const *list = f->compile->prog->kernel;
	int i = 0;

	while (list[i] != kernel)
		i++;
	return &f->work[i];
}

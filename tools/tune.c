/* The verb tune: which configuration of a program is fastest on this GPU.
 *
 * For each program and size the space is listed (tune_space.c), in the order of
 * the model, and what --budget leaves of it compiled, verified and timed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tune.h"

/* ------------------------------------------------------------- the dry run */

static void print_space(const struct tool_space *s, const char *what,
	const char *sizes, int n)
{
	int i;

	printf("%s %s: program %s, %.0f configurations\n  %s\n", what, sizes,
		s->hash, s->total, s->factors);
	for (i = 0; i < n; i++)
		printf("  %4d %12.0f cycles  %s%s\n", i, s->item[i].cycles,
			s->item[i].config, i ? "" : "  (the model's choice)");
}

/* How many candidates of "s" are tried. */
static int count_tried(const struct tool_options *o,
	const struct tool_space *s)
{
	return o->budget && o->budget < s->n ? (int)o->budget : s->n;
}

static enum tool_exit list_space(struct tool_bench *b,
	const struct tool_bench_program *p, struct tool_space *s)
{
	struct tool_bench_task task;
	enum tool_exit status;

	tool_bench_task_set(&task, b->o, p);
	status = tool_space_list(s, &task.o, &task.src, b->target);
	if (status != TOOL_OK || s->n)
		return status;
	tool_message(MSG_TUNE_NOTHING, task.src.name,
		"no kernel has a product, or a size is not known");
	return TOOL_INPUT;
}

static enum tool_exit dry_run(struct tool_bench *b)
{
	enum tool_exit status = TOOL_OK;
	struct tool_space s;
	char what[128], size[96];
	int i;

	for (i = 0; i < b->n_program && status == TOOL_OK; i++) {
		const struct tool_bench_program *p = &b->program[i];

		if (!p->is_row)
			continue;
		status = list_space(b, p, &s);
		tool_bench_size_text(&p->size, size, sizeof(size));
		snprintf(what, sizeof(what), "%s %s", p->form->suite,
			p->form->name);
		if (status == TOOL_OK)
			print_space(&s, what, size, count_tried(b->o, &s));
		tool_space_free(&s);
	}
	return status;
}

/* --------------------------------------------------------------- the whole */

static enum tool_exit check_options(const struct tool_options *o)
{
	if (!o->dry_run && strcmp(o->gpu, "cuda") &&
	    strncmp(o->gpu, "cuda:", 5)) {
		tool_message(MSG_USAGE_VALUE, "device", "cuda or cuda:N, or "
			"--dry-run beside it", o->gpu, "", "");
		return TOOL_USAGE;
	}
	return TOOL_OK;
}

static enum tool_exit plan(struct tool_bench *b)
{
	enum tool_exit status;

	b->target = b->o->target ? b->o->target :
		nvptx_target_find(TOOL_DEFAULT_ARCH);
	status = tool_bench_check_suites(b->o->suite);
	if (status == TOOL_OK)
		status = tool_bench_sizes_read(&b->sizes, b->o);
	return status == TOOL_OK ? tool_bench_plan(b) : status;
}

enum tool_exit tool_tune(struct tool_options *o)
{
	struct tool_bench b = { .o = o };
	enum tool_exit status = check_options(o);

	b.folder = strdup("");
	if (status == TOOL_OK)
		status = plan(&b);
	if (status == TOOL_OK)
		status = dry_run(&b);
	tool_bench_free(&b);
	return status;
}

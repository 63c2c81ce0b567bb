/* cetane inspect SOURCE: the facts about a compiled program, and about each of
 * its versions, which are programs of their own. LLVM IR has no program: of it there
 * are the facts of the launch record and of the assembler.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"
#include "tools/lib/inspect/inspect.h"

/* ------------------------------------------------------------------ sizes */

/* The value that -D gives the size "name" of the text; false if none.
 *
 * Several -D of one name have been judged before.
 */
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

/* Give each size of the record a value: its own, that of -D, or
 * TOOL_INSPECT_SIZE, which "assumed" says then. False without memory.
 *
 * Without a value nothing can be counted; the facts then say what was assumed.
 */
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

/* --------------------------------------------------------------- launches */

/* Add a launch of "tiles" tiles with the iterators "iter".
 *
 * Of launches that differ, the smallest and the largest are kept, and the
 * iterators of the first.
 */
static void add_launch(struct tool_launches *l, const int64_t tiles[2],
	const int64_t *iter, int n_iter)
{
	int64_t n = tiles[0] * tiles[1];

	if (!n)
		/* A launch without blocks does not happen. */
		return;
	if (!l->n)
		memcpy(l->iter, iter, (size_t)n_iter * sizeof(*iter));
	if (!l->n || n > l->most[0] * l->most[1])
		memcpy(l->most, tiles, sizeof(l->most));
	if (!l->n || n < l->least[0] * l->least[1])
		memcpy(l->least, tiles, sizeof(l->least));
	l->n++;
}

/* Callback of cetane_rt_record_visit: note one launch.
 *
 * Each launch of the host's loops is one call.
 */
static enum cetane_status see(void *user, int kernel, const int64_t *iter)
{
	struct tool_facts *f = user;
	const struct cetane_rt_kernel *k = &f->record->kernel[kernel];
	int64_t tiles[2];
	enum cetane_status s = cetane_rt_record_tiles(k, f->size, iter, tiles);

	if (s == CETANE_OK)
		add_launch(&f->launches[kernel], tiles, iter, k->n_iter);
	return s;
}

/* The record has no "what" at these sizes.
 *
 * The reason comes from the runtime.
 */
static enum tool_exit not_told(const char *what, enum cetane_status s)
{
	tool_message(MSG_DEVICE, what, cetane_status_text(s), ": ",
		cetane_last_error());
	return TOOL_INPUT;
}

/* Walk the launches at these sizes, up to TOOL_INSPECT_STEPS steps, and note
 * the least and the most tiles of each kernel.
 *
 * A program may have more launches than are counted; "more" says so.
 */
static enum tool_exit count_launches(struct tool_facts *f)
{
	struct cetane_rt_visit visit = { see, f, TOOL_INSPECT_STEPS, false };
	enum cetane_status s;

	f->launches = calloc((size_t)f->record->n_kernel + 1,
		sizeof(*f->launches));
	if (!f->launches)
		return tool_no_memory("the launches");
	s = cetane_rt_record_version(f->record, f->size, &f->version);
	if (s == CETANE_OK)
		s = cetane_rt_record_visit(f->record, f->size, &visit);
	f->more_launches = visit.more;
	if (s == CETANE_OK)
		return TOOL_OK;
	return not_told("the launches", s);
}

/* Does kernel "i" look at what an array holds, which no step of the record runs? */
static bool looks(const struct tool_facts *f, int i)
{
	bool is = false;

	for (int a = 0; a < f->record->n_array; a++)
		is |= f->record->array[a].look == i + 1;
	return is;
}

/* Versions share kernels: of those with one name the first stands for all. Launches of one
 * version that share one each stand for themselves.
 */
bool tool_facts_repeats(const struct tool_facts *f, int i)
{
	const struct cetane_rt_kernel *k = f->record->kernel;
	int before;

	if (looks(f, i))
		return true;

	for (before = 0; before < i; before++)
		if (!strcmp(k[before].name, k[i].name) &&
		    f->part_of[before] != f->part_of[i])
			return true;
	return false;
}

/* The next kernel of the record from "i" on that is called "name", or -1.
 *
 * -1 is the end of a loop over them.
 */
static int next_called(const struct tool_facts *f, int i, const char *name)
{
	for (; i < f->record->n_kernel; i++)
		if (!strcmp(f->record->kernel[i].name, name))
			return i;
	return -1;
}

/* The one of the kernels with the name of kernel "i" that runs, or "i".
 *
 * At these sizes one version runs; the others have no launches.
 */
static int running(const struct tool_facts *f, int i)
{
	const char *name = f->record->kernel[i].name;
	int k;

	for (k = i; k >= 0; k = next_called(f, k + 1, name))
		if (f->launches[k].n)
			return k;
	return i;
}

/* What is shown of a kernel is what runs of it. */
struct tool_launches tool_facts_launches(const struct tool_facts *f, int i)
{
	return f->launches[running(f, i)];
}

const struct cetane_rt_kernel *tool_facts_running(const struct tool_facts *f,
	int i)
{
	return &f->record->kernel[running(f, i)];
}

/* ------------------------------------------------------------------ parts */

/* What the plan has of launch "i" of the record. */
static const struct nvptx_launch *planned(const struct tool_facts *f, int i)
{
	return &nvptx_module_plan(f->compile->module)->launch[i];
}

bool tool_facts_is_before(const struct tool_facts *f, int i)
{
	return planned(f, i)->before;
}

/* The launch of kernel "i" of the program of "part" itself. */
static int launch_of(const struct tool_facts *f, const struct tool_part *part, int i)
{
	int at = part->first;

	while (planned(f, at)->of != i || planned(f, at)->before)
		at++;
	return at;
}

/* Append "prog", whose kernels are in the record from "first" on.
 *
 * The part has the program; what is counted of it comes later.
 */
static void add_part(struct tool_facts *f, struct poly_prog *prog, int first)
{
	int i = first, n = prog->n_kernel;

	for (; n > 0; i++) {
		f->part_of[i] = f->n_part;
		n -= !tool_facts_is_before(f, i);
	}
	f->part[f->n_part++] = (struct tool_part){ .prog = prog,
		.first = first };
}

/* The programs that the module has code of: that for all sizes alone if there was
 * none for versions.
 *
 * A version that is like another one has no code of its own.
 */
static bool add_parts(struct tool_facts *f)
{
	const struct tool_compile *c = f->compile;
	const struct nvptx_plan *plan = nvptx_module_plan(c->module);
	int i;

	f->part = calloc((size_t)c->n_version + 1, sizeof(*f->part));
	f->part_of = calloc((size_t)f->record->n_kernel + 1,
		sizeof(*f->part_of));
	if (!f->part || !f->part_of)
		return false;
	add_part(f, c->prog, 0);
	for (i = 1; i < plan->n_version; i++)
		if (!c->version[i - 1].like)
			add_part(f, c->version[i - 1].prog,
				plan->version[i].first_launch);
	return true;
}

/* A value for the hidden size "i" of the program where none runs: all of what it
 * is a share of, in one part.
 *
 * The program is not launched at these sizes, but its facts are wanted.
 */
static int64_t hidden_value(const struct poly_prog *prog, const int64_t *size,
	int i)
{
	const struct poly_param *p = &prog->param[i];

	switch (p->hidden) {
	case POLY_FIRST_0:
	case POLY_FIRST_1:
		return p->behind ? 0 : size[p->of];
	case POLY_STEPS:
		return size[p->of];
	case POLY_PARTS:
	case POLY_KNOWN:
		break;
	}
	return 1;
}

/* The sizes of "part"; the hidden ones are the last iterators of its launches.
 *
 * The launch that was seen first tells them.
 */
static bool choose_part_sizes(struct tool_facts *f, struct tool_part *part)
{
	const struct poly_prog *prog = part->prog;
	int n = prog->n_param - prog->n_hidden, i, at;
	int first = part->first;
	struct tool_launches l = { 0 };

	if (prog->n_kernel)
		l = tool_facts_launches(f, first);
	part->size = calloc((size_t)prog->n_param + 1, sizeof(*part->size));
	for (i = 0; part->size && i < n; i++)
		part->size[i] = f->size[i];
	for (; part->size && i < prog->n_param; i++) {
		at = f->record->kernel[first].n_iter - prog->n_param + i;
		part->size[i] = l.n ? l.iter[at] :
			hidden_value(prog, part->size, i);
	}
	return part->size != NULL;
}

/* How kernel "i" of the record is launched. */
static struct poly_launched launched(const struct tool_facts *f, int i)
{
	const struct cetane_rt_kernel *k = &f->record->kernel[i];
	const struct nvptx_usage *u = tool_facts_usage(f, k);
	struct tool_launches l = tool_facts_launches(f, i);

	return (struct poly_launched){ (double)l.n,
		(double)l.most[0] * (double)l.most[1],
		(double)k->thread[0] * k->thread[1], u ? u->registers : 0 };
}

/* Count the operations and bytes of each kernel of "part", and price it; false if that
 * fails.
 *
 * Costs of all kernels, in the order of the program.
 */
static bool gather_work(const struct tool_facts *f, struct tool_part *part)
{
	struct poly_prog *prog = part->prog;
	struct poly_launched of;
	int i;

	part->work = calloc((size_t)prog->n_kernel + 1, sizeof(*part->work));
	part->price = calloc((size_t)prog->n_kernel + 1, sizeof(*part->price));
	for (i = 0; part->work && part->price && i < prog->n_kernel; i++) {
		of = launched(f, launch_of(f, part, i));
		if (poly_kernel_work(prog, prog->kernel[i], part->size,
				&part->work[i]) < 0 ||
		    poly_price_kernel(prog, prog->kernel[i], part->size,
				part->access, part->n_access,
				&of, &part->price[i]) < 0)
			break;
		part->work[i].read -= poly_kernel_own_reads(prog,
			prog->kernel[i], part->size);
	}
	return i == prog->n_kernel;
}

/* Gather accesses, loops and work of the program of "part". What fails is told.
 *
 * Accesses are those of one warp; loops say what each of them carries.
 */
static enum tool_exit gather_part(struct tool_facts *f, struct tool_part *part)
{
	if (!choose_part_sizes(f, part))
		return tool_no_memory("the sizes");
	if (poly_accesses(part->prog, part->size, &part->access,
			&part->n_access) < 0 ||
	    poly_loops(part->prog, &part->loop, &part->n_loop) < 0) {
		tool_report_tell(part->prog->report);
		return TOOL_INTERNAL;
	}
	return gather_work(f, part) ? TOOL_OK : tool_no_memory("the kernels");
}

/* ------------------------------------------------------------------ facts */

/* Choose values of the sizes, check that the program takes them, and find the
 * bytes of temporaries and the launches at these sizes.
 *
 * The bytes of all temporaries may be more than the workspace, where these
 * share memory.
 */
static enum tool_exit gather_sizes(struct tool_facts *f,
	const struct tool_options *o)
{
	enum cetane_status s;

	if (o->from != TOOL_FROM_DSL &&
	    tool_launch_defines(o, f->record) != TOOL_OK)
		return TOOL_INPUT;
	if (!choose_sizes(f, o))
		return tool_no_memory("the sizes");
	s = cetane_rt_record_check(f->record, f->size);
	if (s == CETANE_OK)
		s = cetane_rt_record_layout(f->record, f->size, NULL,
			&f->workspace);
	for (int i = 0; s == CETANE_OK && i < f->record->n_array; i++) {
		int64_t bytes = 0;

		if (f->record->array[i].role == CETANE_RT_TEMP)
			s = cetane_rt_record_bytes(f->record, i, f->size,
				&bytes);
		f->temporaries += bytes;
	}
	if (s == CETANE_OK)
		return count_launches(f);
	return not_told("the sizes", s);
}

/* "c" must outlive the facts: they point into it. LLVM IR without a record has
 * no facts.
 */
enum tool_exit tool_facts_gather(struct tool_facts *f,
	const struct tool_options *o, struct tool_compile *c)
{
	enum tool_exit status;
	int i;

	f->compile = c;
	status = tool_launch_record(c, c->unit, &f->record);
	if (status == TOOL_OK && f->record)
		status = gather_sizes(f, o);
	if (status == TOOL_OK && f->record && c->prog && !add_parts(f))
		status = tool_no_memory("the kernels");
	for (i = 0; i < f->n_part && status == TOOL_OK; i++)
		status = gather_part(f, &f->part[i]);
	return status;
}

/* May be called after any failure. */
void tool_facts_free(struct tool_facts *f)
{
	int i;

	for (i = 0; i < f->n_part; i++) {
		free(f->part[i].size);
		free(f->part[i].access);
		free(f->part[i].work);
		free(f->part[i].price);
		poly_loops_free(f->part[i].loop, f->part[i].n_loop);
	}
	cetane_rt_record_free(f->record);
	free(f->size);
	free(f->part);
	free(f->part_of);
	free(f->launches);
	*f = (struct tool_facts){ 0 };
}

/* NULL where no assembler has run. */
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

/* Static shared memory comes from the assembler, dynamic from the record. False
 * without an assembler.
 */
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

/* Which program kernel "i" of the record is of. */
const struct tool_part *tool_facts_part(const struct tool_facts *f, int i)
{
	return &f->part[f->part_of[i]];
}

/* The number of kernel "i" of the record in its program.
 *
 * Launches in front of it have its number, too.
 */
static int number_in_part(const struct tool_facts *f, int i)
{
	return planned(f, i)->of;
}

struct poly_kernel *tool_facts_kernel(const struct tool_facts *f, int i)
{
	return tool_facts_part(f, i)->prog->kernel[number_in_part(f, i)];
}

const struct poly_kernel_work *tool_facts_work(const struct tool_facts *f,
	int i)
{
	return &tool_facts_part(f, i)->work[number_in_part(f, i)];
}

const struct poly_price *tool_facts_price(const struct tool_facts *f, int i)
{
	return &tool_facts_part(f, i)->price[number_in_part(f, i)];
}

double tool_facts_predicted(const struct tool_facts *f, double *us)
{
	double cycles = 0;
	int i;

	*us = 0;
	for (i = 0; i < f->record->n_kernel; i++) {
		if (tool_facts_repeats(f, i) || tool_facts_is_before(f, i) ||
		    !tool_facts_launches(f, i).n)
			continue;
		cycles += tool_facts_price(f, i)->cycles;
		*us += tool_facts_price(f, i)->us;
	}
	return cycles;
}

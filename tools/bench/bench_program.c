/* Our side of a row: a compiled program, which is a container as in objects
 * (runtime/image/image.h), loaded for the device and launched by its record.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/bench/bench.h"

/* Numbers of the driver's attributes of functions. */
enum { SHARED_BYTES = 1, LOCAL_BYTES = 3, REGISTERS = 4 };

/* A container that the compiler made and that does not fit its form. */
static enum tool_exit damaged(const struct tool_bench_program *p)
{
	tool_message(MSG_ARTIFACT, p->path);
	return TOOL_INPUT;
}

/* The values of the record's sizes, by their names in the text.
 *
 * False if the record has a size that the form has not.
 */
static bool set_sizes(struct tool_bench_program *p)
{
	char name[TOOL_BENCH_NAME];
	int i, k, n = tool_bench_words(p->form->sizes);

	if (p->record->n_size > TOOL_BENCH_N_SIZE)
		return false;
	for (i = 0; i < p->record->n_size; i++) {
		for (k = 0; k < n; k++) {
			tool_bench_word(p->form->sizes, k, name,
				sizeof(name));
			if (!strcmp(p->record->size[i].name, name))
				break;
		}
		if (k == n)
			return false;
		p->param[i] = p->size.n[k];
	}
	return true;
}

/* Find the form's arrays in the record.
 *
 * p->place[i] is the number in the record of the form's array "i".
 */
static bool place_arrays(struct tool_bench_program *p)
{
	char name[TOOL_BENCH_NAME];
	int i, k, n = tool_bench_words(p->form->arrays);

	for (i = 0; i < n; i++) {
		tool_bench_word(p->form->arrays, i, name, sizeof(name));
		for (k = 0; k < p->record->n_array; k++)
			if (!strcmp(p->record->array[k].name, name))
				break;
		if (k == p->record->n_array || cetane_rt_record_bytes(
				p->record, k, p->param, &p->bytes[i]))
			return false;
		p->place[i] = k;
	}
	return true;
}

/* Load the image, find its kernels, and allocate the workspace for the sizes.
 * What fails is told; tool_bench_program_free frees all.
 *
 * A program that needs no workspace has none.
 */
static enum tool_exit load_module(struct tool_bench_program *p,
	struct tool_cuda *g, const struct cetane_rt_image *image)
{
	int64_t total = 0;
	enum cetane_status s;

	p->fn = calloc((size_t)p->record->n_kernel + 1, sizeof(*p->fn));
	s = p->fn ? cetane_module_load(g->dev, image->data, image->size,
		&p->module) : CETANE_OUT_OF_MEMORY;
	if (s == CETANE_OK)
		s = cetane_rt_record_bind(p->record, p->module, p->fn);
	if (s == CETANE_OK)
		s = cetane_rt_record_layout(p->record, p->param, NULL, &total);
	if (s == CETANE_OK && total)
		s = cetane_malloc(g->dev, (size_t)total, &p->work);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error("cannot load the kernels", s);
}

/* The image that fits the device best is taken. What the container holds is
 * checked on reading it.
 */
enum tool_exit tool_bench_program_load(struct tool_bench_program *p,
	struct tool_cuda *g)
{
	struct cetane_rt_image image;
	enum cetane_status s;
	enum tool_exit status = tool_source_read_file(&p->file, p->path,
		TOOL_MOST_ARTIFACT);
	int n;

	if (status != TOOL_OK)
		return status;
	if (cetane_rt_image_count(p->file.text, p->file.len, &n) != CETANE_OK)
		return damaged(p);
	s = cetane_rt_image_pick(p->file.text, p->file.len,
		cetane_device_capability(g->dev), &image);
	if (s != CETANE_OK)
		return tool_device_error(p->path, s);
	p->is_ptx = image.kind == CETANE_RT_PTX;
	if (cetane_rt_record_read(&image, &p->record) != CETANE_OK ||
	    !set_sizes(p) ||
	/* A size for which the program was not compiled counts as damage: the
	 * plan has asked for this one.
	 */
	    cetane_rt_record_check(p->record, p->param) != CETANE_OK ||
	    !place_arrays(p))
		return damaged(p);
	return load_module(p, g, &image);
}

/* "ptr" has the addresses of the form's arrays. Temporaries lie in the
 * workspace.
 */
enum tool_exit tool_bench_program_launch(struct tool_bench_program *p,
	struct tool_cuda *g, const uint64_t *ptr)
{
	int i, n = tool_bench_words(p->form->arrays);
	cetane_ptr at[p->record->n_array + 1];
	enum cetane_status s;
	int64_t total;

	s = cetane_rt_record_layout(p->record, p->param, at, &total);
	for (i = 0; i < p->record->n_array; i++)
		if (p->record->array[i].role == CETANE_RT_TEMP)
			at[i] += p->work;
	for (i = 0; i < n; i++)
		at[p->place[i]] = ptr[i];
	if (s == CETANE_OK)
		s = cetane_rt_record_launch(p->record, p->fn, p->param, at,
			&g->stream.base);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error("cannot run the kernels", s);
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Add what the kernel "fn" takes: the most of registers and memory counts, and
 * the least occupancy.
 *
 * Occupancy is the share of a multiprocessor's threads that are in use at once.
 */
static enum tool_exit add_usage(struct tool_cuda *g,
	const struct cetane_rt_kernel *k, void *fn, struct tool_usage *u)
{
	int threads = k->thread[0] * k->thread[1], blocks = 0;
	int registers = 0, shared = 0, local = 0, r;
	double part;

	r = g->function_attribute(&registers, REGISTERS, fn);
	if (r == 0)
		r = g->function_attribute(&shared, SHARED_BYTES, fn);
	if (r == 0)
		r = g->function_attribute(&local, LOCAL_BYTES, fn);
	if (r == 0)
		r = g->occupancy(&blocks, fn, threads,
			(size_t)k->shared_bytes);
	part = (double)blocks * threads / (g->threads ? g->threads : 1);
	u->registers = larger(u->registers, registers);
	u->shared = larger(u->shared, shared + k->shared_bytes);
	u->local = larger(u->local, local);
	if (u->kernels++ == 0 || part < u->occupancy)
		u->occupancy = part;
	return tool_cuda_judge(g, "cuFuncGetAttribute", r);
}

/* A program of several kernels is described by the worst of each number. */
enum tool_exit tool_bench_usage(const struct cetane_rt_record *record,
	struct cetane_function *const *fn, struct tool_cuda *g,
	struct tool_usage *usage)
{
	enum tool_exit status = TOOL_OK;
	int i;

	*usage = (struct tool_usage){ 0 };
	for (i = 0; i < record->n_kernel && status == TOOL_OK; i++)
		status = add_usage(g, &record->kernel[i],
			cetane_rt_cuda_function(fn[i]), usage);
	return status;
}

/* The file is read again when it is loaded again. */
void tool_bench_program_free(struct tool_bench_program *p,
	struct tool_cuda *g)
{
	if (p->work)
		cetane_free(g->dev, p->work);
	if (p->module)
		cetane_module_unload(p->module);
	cetane_rt_record_free(p->record);
	free(p->fn);
	if (p->file.text)
		tool_source_free(&p->file);
	p->work = 0;
	p->module = NULL;
	p->record = NULL;
	p->fn = NULL;
	p->file = (struct tool_source){ 0 };
}

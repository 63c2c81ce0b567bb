/* The verb profile: a program of the user's own on a device, and for each of its
 * kernels how long it takes, what it does, and where it comes from.
 *
 * On the host device the facts are those of the code that a GPU would get, by a
 * compilation of its own; the times are those of that device's kernels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/profile/profile.h"

/* Compile what a GPU would get; the unit is read. */
static enum tool_exit compile_for_gpu(struct tool_profile *p,
	const struct tool_options *o)
{
	struct tool_compile *c = &p->gpu_code;

	tool_compile_init(c, o, &p->src, NVPTX_GPU, TOOL_STAGE_NVPTX_ASSEMBLE,
		p->own.r.unit);
	c->ptx_will_do = true;
	if (!c->nvptx.target)
		c->nvptx.target = nvptx_target_find(TOOL_DEFAULT_ARCH);
	return tool_compile(c);
}

/* A row for each kernel that is launched at these sizes, in the order of the record. */
static enum tool_exit list_kernels(struct tool_profile *p)
{
	const struct cetane_rt_record *r = p->facts.record;
	enum tool_exit status = TOOL_OK;
	struct tool_profile_kernel *k;
	int i;

	p->kernel = calloc((size_t)r->n_kernel + 1, sizeof(*p->kernel));
	if (!p->kernel)
		return tool_no_memory("the kernels");
	for (i = 0; i < r->n_kernel && status == TOOL_OK; i++) {
		if (tool_facts_repeats(&p->facts, i) ||
		    !tool_facts_launches(&p->facts, i).n)
			continue;
		k = &p->kernel[p->n_kernel++];
		k->at = i;
		k->name = r->kernel[i].name;
		status = tool_profile_describe(p, k);
	}
	p->more_launches = p->facts.more_launches;
	return status;
}

/* The program, verified; the facts; and the times. */
static enum tool_exit measure(struct tool_profile *p,
	const struct tool_options *o)
{
	enum tool_exit status = tool_own_open(&p->own, o, &p->src,
		p->is_cuda ? &p->gpu : NULL);
	int i;

	if (status == TOOL_OK && !p->is_cuda)
		status = compile_for_gpu(p, o);
	if (status == TOOL_OK)
		status = tool_facts_gather(&p->facts, o,
			p->is_cuda ? &p->own.c : &p->gpu_code);
	if (status == TOOL_OK)
		status = list_kernels(p);
	if (status == TOOL_OK)
		status = tool_profile_time(p);
	for (i = 0; i < p->n_kernel; i++)
		tool_profile_share(p, &p->kernel[i]);
	return status;
}

/* Print the table or, with --format=json, JSON; and draw. */
static enum tool_exit report(const struct tool_profile *p)
{
	struct poly_str text = { 0 };
	enum tool_exit status = TOOL_OK;
	char *drawing = NULL;
	size_t size = 0;
	FILE *f;

	if (p->o->format == TOOL_FORMAT_JSON)
		tool_profile_json(p, &text);
	else
		tool_profile_text(p, &text);
	fputs(text.s ? text.s : "", stdout);
	poly_str_free(&text);
	if (!p->o->svg_file)
		return status;
	f = open_memstream(&drawing, &size);
	if (f) {
		tool_profile_svg(p, f);
		fclose(f);
	}
	if (!drawing || !tool_write(p->out.fd, drawing, size)) {
		tool_message(MSG_FILE_WRITE, p->o->svg_file, strerror(errno));
		status = TOOL_ENVIRONMENT;
	}
	free(drawing);
	return status;
}

/* Free what "measure" has made, and close the device. */
static enum tool_exit clean(struct tool_profile *p, enum tool_exit status)
{
	tool_facts_free(&p->facts);
	free(p->kernel);
	if (p->gpu_code.options)
		status = tool_compile_free(&p->gpu_code, status);
	status = tool_own_close(&p->own, status);
	tool_cuda_close(&p->gpu);
	return status;
}

/* In the worker: open the device, measure, and report. */
static enum tool_exit work(void *user)
{
	struct tool_profile *p = user;
	struct tool_options o = *p->o;
	enum tool_exit status = TOOL_OK;

	o.device = p->o->gpu;
	p->is_cuda = strcmp(o.device, "host") != 0;
	if (p->is_cuda) {
		status = tool_cuda_open(&p->gpu, o.device);
		if (status == TOOL_OK)
			status = tool_cuda_measure_copy(&p->gpu);
		p->copy_rate = p->gpu.copy_rate;
	}
	if (status == TOOL_OK)
		status = measure(p, &o);
	if (status == TOOL_OK)
		status = report(p);
	fflush(stdout);
	return clean(p, status);
}

enum tool_exit tool_profile(struct tool_options *o)
{
	struct tool_profile p = { .o = o };
	enum tool_exit status = tool_own_check_device(o);
	bool drawn = false;

	if (status == TOOL_OK)
		status = tool_source_read(&p.src, o->file, TOOL_MOST_TEXT);
	if (status == TOOL_OK && o->svg_file) {
		drawn = true;
		if (!tool_output_open(&p.out, o->svg_file))
			status = TOOL_ENVIRONMENT;
	}
	if (status == TOOL_OK)
		status = tool_worker(o, &p.src, work, &p);
	if (status == TOOL_OK && drawn && !tool_output_commit(&p.out, 1))
		status = TOOL_ENVIRONMENT;
	if (drawn)
		tool_output_close(&p.out, 1);
	tool_source_free(&p.src);
	return status;
}

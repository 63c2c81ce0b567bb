/* The verb run: inputs, one compilation for the device, the launch, and what
 * became of the outputs.
 *
 * Outputs are filled with a pattern before the launch. Elements that still
 * hold it afterwards are suspects: a second launch over another pattern tells
 * an element that was never written from one that happens to look like it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/tools.h"

/* What outputs and temporaries are full of, at first and, where that is still
 * found in some, again.
 */
enum { POISON = 0xff, OTHER_POISON = 0x5a };

/* ---------------------------------------------------------------- device */

const struct nvptx_target *tool_choose_target(int capability)
{
	const struct nvptx_target *t, *best = NULL;
	int i;

	for (i = 0; (t = nvptx_target_at(i)); i++) {
		if (t->cc > capability || (best && t->cc < best->cc))
			continue;
		if (t->cc == capability || !strpbrk(t->name + 3, "af"))
			best = t;
	}
	return best;
}

enum tool_exit tool_configure(const struct tool_options *o,
	struct cetane_device *dev, int64_t order)
{
	enum cetane_status s = cetane_host_configure(dev, o->checks,
		(uint64_t)(o->host_seed + order));

	return s == CETANE_OK ? TOOL_OK : tool_device_error(o->device, s);
}

/* Open the device of --device; the host device is told which checks to make. */
static enum tool_exit open_device(struct tool_run *r,
	struct cetane_device **dev)
{
	const struct tool_options *o = r->o;
	enum cetane_status s = cetane_device_open(o->device, dev);

	if (s != CETANE_OK)
		return tool_device_error(o->device, s);
	return cetane_device_capability(*dev) == 0 ?
		tool_configure(o, *dev, 0) : TOOL_OK;
}

/* Compile for the device that is open. */
static enum tool_exit compile_for(struct tool_run *r,
	struct cetane_device *dev, struct tool_compile *c)
{
	int capability = cetane_device_capability(dev);

	tool_compile_init(c, r->o, &r->src,
		capability ? NVPTX_GPU : NVPTX_HOST,
		capability ? TOOL_STAGE_NVPTX_ASSEMBLE : TOOL_STAGE_NVPTX_JIT,
		r->unit);
	c->nvptx.checked = r->o->checks;
	c->ptx_will_do = true;
	if (capability && !c->nvptx.target)
		c->nvptx.target = tool_choose_target(capability);
	if (capability && !c->nvptx.target) {
		tool_message(MSG_NO_TARGET, capability / 10, capability % 10);
		return TOOL_ENVIRONMENT;
	}
	return tool_compile(c);
}

/* What the host device has noticed. */
static enum tool_exit print_findings(struct cetane_device *dev)
{
	int n, i;

	if (cetane_device_capability(dev) != 0)
		return TOOL_OK;
	n = cetane_host_findings(dev);
	for (i = 0; i < n && cetane_host_finding(dev, i); i++)
		tool_message(MSG_RUN_FINDING, cetane_host_finding(dev, i));
	return n ? TOOL_MISMATCH : TOOL_OK;
}

/* Run the kernels; what the checks have found counts more than how it ended. */
static enum tool_exit launch(struct tool_exec *x)
{
	enum tool_exit status = tool_exec_run(x);
	enum tool_exit found = print_findings(x->dev);

	return found != TOOL_OK ? found : status;
}

enum tool_exit tool_run_upload(struct tool_run *r, struct tool_exec *x,
	bool again)
{
	enum tool_exit status = TOOL_OK;
	int i, array;

	for (i = 0; i < r->n_in && status == TOOL_OK; i++) {
		array = tool_exec_find(x, r->in[i].name);
		if (array >= 0 && (!again || r->in[i].in_place))
			status = tool_exec_upload(x, array, r->in[i].data);
	}
	return status;
}

/* Run with outputs and temporaries full of "poison", by which shows what was
 * not written.
 */
static enum tool_exit run_over(struct tool_run *r, struct tool_exec *x,
	unsigned char poison)
{
	enum tool_exit status = tool_exec_poison(x, poison);

	if (status == TOOL_OK)
		status = tool_run_upload(r, x, true);
	return status == TOOL_OK ? launch(x) : status;
}

/* Copy all outputs back. */
enum tool_exit tool_run_download(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < r->n_out && status == TOOL_OK; i++)
		status = tool_exec_download(x,
			tool_exec_find(x, r->out[i].name), r->out[i].data);
	return status;
}

/* ----------------------------------------------------- unwritten elements */

/* Does element "i" of "data", of "size" bytes, hold "byte" in each of them? */
static bool holds(const void *data, int64_t i, int size, unsigned char byte)
{
	const unsigned char *p = data;
	int b;

	for (b = 0; b < size; b++)
		if (p[i * size + b] != byte)
			return false;
	return true;
}

/* How many elements of an output still hold POISON; of one that is an input,
 * too, none can tell.
 */
static int64_t count_poison(const struct tool_matrix *m)
{
	int size = poly_type_size(m->type);
	int64_t i, n = 0;

	for (i = 0; i < m->n && !m->in_place; i++)
		n += holds(m->data, i, size, POISON);
	return n;
}

/* Compare "m", made over POISON, with "again", made over OTHER_POISON. */
static enum tool_exit report_unwritten(const struct tool_matrix *m,
	const void *again)
{
	int size = poly_type_size(m->type);
	int64_t i, first = -1, n = 0, at[FE_MAX_DIM];
	struct poly_str name = { 0 };

	for (i = 0; i < m->n && !m->in_place; i++) {
		if (!holds(m->data, i, size, POISON) ||
		    !holds(again, i, size, OTHER_POISON))
			continue;
		first = n ? first : i;
		n++;
	}
	if (n == 0)
		return TOOL_OK;
	tool_index_of(m->n_dim, m->dim, first, at);
	poly_str_add(&name, m->name);
	tool_add_index(&name, m->n_dim, at);
	tool_message(MSG_RUN_UNWRITTEN, name.s ? name.s : m->name,
		(long long)n);
	poly_str_free(&name);
	return TOOL_MISMATCH;
}

/* Look for elements that no kernel writes; launches again if there may be. */
static enum tool_exit check_written(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK, one;
	int64_t suspects = 0;
	void *again;
	int i;

	for (i = 0; i < r->n_out; i++)
		suspects += count_poison(&r->out[i]);
	if (suspects)
		status = run_over(r, x, OTHER_POISON);
	for (i = 0; i < r->n_out && suspects && status == TOOL_OK; i++) {
		again = malloc((size_t)(r->out[i].n *
			poly_type_size(r->out[i].type)) + 1);
		one = again ? tool_exec_download(x, tool_exec_find(x,
			r->out[i].name), again) : tool_no_memory("an output");
		if (one == TOOL_OK)
			one = report_unwritten(&r->out[i], again);
		free(again);
		status = one;
	}
	return status;
}

/* --------------------------------------------------------------- running */

static enum tool_exit run_again(struct tool_run *r, struct tool_exec *x)
{
	return run_over(r, x, POISON);
}

/* With checks, the first launch sees memory that nothing has written. */
enum tool_exit tool_run_execute(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = tool_run_upload(r, x, false);

	tool_stage(TOOL_STAGE_LAUNCH);
	if (status == TOOL_OK)
		status = tool_exec_within(x);
	if (status == TOOL_OK && r->o->checks)
		status = launch(x);
	if (status == TOOL_OK)
		status = run_again(r, x);
	if (status == TOOL_OK)
		status = tool_run_download(r, x);
	if (status == TOOL_OK && r->o->verify != TOOL_VERIFY_NONE)
		status = check_written(r, x);
	return status == TOOL_OK ? tool_run_orders(r, x, run_again) : status;
}

/* Compile for the device, allocate, and launch. Of poly IR and LLVM IR, sizes
 * and arrays are known only once it is compiled.
 */
enum tool_exit tool_run_load(struct tool_run *r, struct tool_compile *c,
	struct tool_exec *x)
{
	struct cetane_device *dev = NULL;
	enum tool_exit status = open_device(r, &dev);

	if (status == TOOL_OK)
		status = compile_for(r, dev, c);
	if (status == TOOL_OK && !r->unit)
		status = tool_run_of_record(r, c);
	if (status == TOOL_OK)
		return tool_exec_init(x, dev, c, r->value, r->n_value,
			r->o->checks);
	cetane_device_close(dev);
	return status;
}

static enum tool_exit compile_and_execute(struct tool_run *r)
{
	struct tool_compile c = { 0 };
	struct tool_exec x = { 0 };
	enum tool_exit status = tool_run_load(r, &c, &x);

	if (status == TOOL_OK)
		status = tool_run_execute(r, &x);
	tool_exec_free(&x);
	return tool_compile_free(&c, status);
}

/* Write the outputs that have a file as .npy. */
static enum tool_exit write_outputs(struct tool_run *r)
{
	struct tool_npy a;
	int i;

	for (i = 0; i < r->n_out; i++) {
		if (!r->out[i].file)
			continue;
		a = (struct tool_npy){ .type = r->out[i].type,
			.n_dim = r->out[i].n_dim, .data = r->out[i].data,
			.size = (size_t)(r->out[i].n *
				poly_type_size(r->out[i].type)) };
		memcpy(a.dim, r->out[i].dim, sizeof(a.dim));
		if (!tool_npy_write(r->out[i].file->fd, &a)) {
			tool_message(MSG_FILE_WRITE, r->out[i].name,
				strerror(errno));
			return TOOL_ENVIRONMENT;
		}
	}
	return TOOL_OK;
}

/* What is compiled is in r->unit, or in the source itself. */
static enum tool_exit run_source(struct tool_run *r)
{
	enum tool_exit status = TOOL_OK;

	if (r->unit)
		status = tool_run_of_unit(r);
	if (status == TOOL_OK)
		status = compile_and_execute(r);
	if (status == TOOL_OK)
		status = tool_verify(r);
	if (status == TOOL_OK)
		status = tool_expect(r);
	return status == TOOL_OK ? write_outputs(r) : status;
}

/* In the worker: read the program, run it, and free it all. */
static enum tool_exit run_text(struct tool_run *r)
{
	struct tool_compile front;
	enum tool_exit status;

	tool_compile_init(&front, r->o, &r->src, NVPTX_HOST,
		TOOL_STAGE_FE_READ, NULL);
	status = tool_compile(&front);
	r->unit = front.unit;
	if (status == TOOL_OK)
		status = run_source(r);
	tool_run_free(r);
	return tool_compile_free(&front, status);
}

/* In the worker: run a text, or IR, which is read when it is compiled. */
static enum tool_exit run_in_worker(void *user)
{
	struct tool_run *r = user;
	enum tool_exit status;

	if (r->o->from == TOOL_FROM_DSL)
		return run_text(r);
	status = run_source(r);
	tool_run_free(r);
	return status;
}

static enum tool_exit conflict(const char *text)
{
	tool_message(MSG_USAGE_CONFLICT, text);
	return TOOL_USAGE;
}

/* A matrix has one file, and a file is the output of one matrix. */
static enum tool_exit check_distinct(const struct tool_list *list,
	bool is_output)
{
	const char *a, *b;
	int i, k;

	for (i = 0; i < list->n; i++)
		for (k = 0; k < i; k++) {
			a = strchr(list->item[i], '=');
			b = strchr(list->item[k], '=');
			if (!a || !b)
				continue;
			if (a - list->item[i] == b - list->item[k] &&
			    !memcmp(list->item[i], list->item[k],
				(size_t)(a - list->item[i])))
				return conflict("a matrix has two files");
			if (is_output && !strcmp(a, b))
				return conflict("two outputs have one file");
		}
	return TOOL_OK;
}

/* Open the files of --output, before anything is compiled; which matrix each
 * belongs to is found later (run_data.c).
 */
static enum tool_exit open_outputs(struct tool_run *r)
{
	const struct tool_list *list = &r->o->output_list;
	const char *eq;

	r->file = calloc((size_t)list->n + 1, sizeof(*r->file));
	if (!r->file)
		return tool_no_memory("the outputs");
	while (r->n_file < list->n) {
		eq = strchr(list->item[r->n_file], '=');
		if (!eq || !eq[1]) {
			tool_message(MSG_USAGE_MISSING, "output",
				"NAME=FILE.npy");
			return TOOL_USAGE;
		}
		if (!tool_output_open(&r->file[r->n_file++], eq + 1))
			return TOOL_ENVIRONMENT;
	}
	return TOOL_OK;
}

enum tool_exit tool_run(struct tool_options *o)
{
	struct tool_run r = { .o = o };
	enum tool_exit status;

	status = tool_source_read(&r.src, o->file, TOOL_MOST_TEXT);
	if (status != TOOL_OK)
		return status;
	status = check_distinct(&o->input_list, false);
	if (status == TOOL_OK)
		status = check_distinct(&o->output_list, true);
	if (status == TOOL_OK)
		status = open_outputs(&r);
	if (status == TOOL_OK)
		status = tool_worker(o, &r.src, run_in_worker, &r);
	if (status == TOOL_OK && !tool_output_commit(r.file, r.n_file))
		status = TOOL_ENVIRONMENT;
	tool_output_close(r.file, r.n_file);
	free(r.file);
	tool_source_free(&r.src);
	return status;
}

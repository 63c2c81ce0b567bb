/* A compiled program on a device: load, allocate, launch, copy.
 *
 * The same calls of the runtime serve a GPU and the host device; only loading
 * the kernels differs. Everything goes through one stream of our own.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

enum { WORK_ALIGN = 256, GRID_Y = 65535 };

/* True if the kernel is to blame, not the environment. */
static bool is_fault(enum cetane_status status)
{
	return status == CETANE_LAUNCH_FAILED || status == CETANE_DEADLOCK ||
		status == CETANE_STACK_OVERFLOW ||
		status == CETANE_OUT_OF_BOUNDS;
}

enum tool_exit tool_device_error(const char *what, enum cetane_status status)
{
	const char *detail = cetane_last_error();

	tool_message(MSG_DEVICE, what, cetane_status_text(status),
		*detail ? ": " : "", detail);
	return is_fault(status) ? TOOL_MISMATCH : TOOL_ENVIRONMENT;
}

/* --------------------------------------------------------------- loading */

static enum cetane_status load_host(struct tool_exec *x,
	struct tool_compile *c)
{
	int n = x->plan->n_launch, n_site, i;
	const char *const *site = nvptx_sites(c->module, &n_site);
	const char **name = calloc((size_t)n + 1, sizeof(*name));
	cetane_host_kernel *kernel = calloc((size_t)n + 1, sizeof(*kernel));
	enum cetane_status s = CETANE_OUT_OF_MEMORY;

	for (i = 0; name && kernel && i < n; i++) {
		name[i] = x->plan->launch[i].kernel;
		memcpy(&kernel[i], &c->kernel[i], sizeof(kernel[i]));
	}
	if (name && kernel)
		s = cetane_module_from_host(x->dev, name, kernel, n, site,
			n_site, &x->module);
	free(name);
	free(kernel);
	return s;
}

static enum tool_exit load(struct tool_exec *x, struct tool_compile *c)
{
	const struct poly_str *image = c->cubin.len ? &c->cubin : &c->ptx;
	enum cetane_status s;

	if (c->nvptx.device == NVPTX_HOST)
		s = load_host(x, c);
	else
		s = cetane_module_load(x->dev, image->s, image->len,
			&x->module);
	if (s != CETANE_OK)
		return tool_device_error("cannot load the kernels", s);
	s = cetane_stream_create(x->dev, &x->stream);
	if (s != CETANE_OK)
		return tool_device_error("cannot create a stream", s);
	return TOOL_OK;
}

/* ---------------------------------------------------------------- memory */

static enum tool_exit allocate(struct tool_exec *x, int64_t size,
	cetane_ptr *ptr, const char *name)
{
	enum cetane_status s = cetane_malloc(x->dev, (size_t)size, ptr);

	return s == CETANE_OK ? TOOL_OK : tool_device_error(name, s);
}

static bool in_workspace(const struct tool_exec *x, int array)
{
	return !x->separate && x->plan->array[array].role == POLY_TEMP;
}

/* The size of each array; false, having said so, if one is absurd. */
static enum tool_exit measure(struct tool_exec *x)
{
	const struct nvptx_plan *plan = x->plan;
	int64_t dim[8];
	int i, d;

	for (i = 0; i < plan->n_array; i++) {
		for (d = 0; d < plan->array[i].n_dim; d++)
			dim[d] = nvptx_affine_eval(&plan->array[i].extent[d],
				plan->n_param, x->param);
		x->size[i] = tool_bytes(
			tool_elements(plan->array[i].n_dim, dim),
			plan->array[i].elem_bytes);
		if (x->size[i] < 0) {
			tool_message(MSG_RUN_TOO_BIG, plan->array[i].name);
			return TOOL_INPUT;
		}
	}
	return TOOL_OK;
}

/* Allocate the arrays; temporaries follow one another in the workspace. */
static enum tool_exit allocate_all(struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK;
	int64_t total = 0;
	int i;

	for (i = 0; i < x->plan->n_array; i++) {
		if (!in_workspace(x, i))
			continue;
		x->ptr[i] = (cetane_ptr)total;
		total += (x->size[i] + WORK_ALIGN - 1) / WORK_ALIGN *
			WORK_ALIGN;
	}
	status = allocate(x, total, &x->work, "the workspace");
	for (i = 0; i < x->plan->n_array && status == TOOL_OK; i++) {
		if (in_workspace(x, i))
			x->ptr[i] += x->work;
		else
			status = allocate(x, x->size[i], &x->ptr[i],
				x->plan->array[i].name);
	}
	return status;
}

/* --------------------------------------------------------------- set-up */

static int64_t find_value(const char *name, const struct fe_define *value,
	int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(value[i].name, name))
			return value[i].value;
	return 0;
}

enum tool_exit tool_exec_init(struct tool_exec *x, struct cetane_device *dev,
	struct tool_compile *c, const struct fe_define *value, int n_value,
	bool separate)
{
	const struct nvptx_plan *plan = nvptx_module_plan(c->module);
	enum tool_exit status;
	int i;

	*x = (struct tool_exec){ .dev = dev, .plan = plan,
		.separate = separate };
	x->param = calloc((size_t)plan->n_param + 1, sizeof(*x->param));
	x->ptr = calloc((size_t)plan->n_array + 1, sizeof(*x->ptr));
	x->size = calloc((size_t)plan->n_array + 1, sizeof(*x->size));
	if (!x->param || !x->ptr || !x->size) {
		tool_message(MSG_NO_MEMORY, "the launch");
		return TOOL_ENVIRONMENT;
	}
	for (i = 0; i < plan->n_param; i++)
		x->param[i] = find_value(plan->param[i], value, n_value);
	status = load(x, c);
	if (status == TOOL_OK)
		status = measure(x);
	if (status == TOOL_OK)
		status = allocate_all(x);
	return status;
}

int tool_exec_find(const struct tool_exec *x, const char *name)
{
	int i;

	for (i = 0; i < x->plan->n_array; i++)
		if (!strcmp(x->plan->array[i].name, name))
			return i;
	return -1;
}

/* --------------------------------------------------------------- copying */

enum tool_exit tool_exec_upload(struct tool_exec *x, int array,
	const void *data)
{
	enum cetane_status s = cetane_copy_to_device(x->dev, x->ptr[array],
		data, (size_t)x->size[array], x->stream);

	if (s == CETANE_OK)
		s = cetane_stream_synchronize(x->dev, x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error(x->plan->array[array].name, s);
}

enum tool_exit tool_exec_download(struct tool_exec *x, int array, void *data)
{
	enum cetane_status s = cetane_copy_from_device(x->dev, data,
		x->ptr[array], (size_t)x->size[array], x->stream);

	if (s == CETANE_OK)
		s = cetane_stream_synchronize(x->dev, x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error(x->plan->array[array].name, s);
}

enum tool_exit tool_exec_poison(struct tool_exec *x, unsigned char poison)
{
	enum cetane_status s = CETANE_OK;
	int i;

	for (i = 0; i < x->plan->n_array && s == CETANE_OK; i++)
		if (x->plan->array[i].role != POLY_INPUT && x->size[i] > 0)
			s = cetane_memset(x->dev, x->ptr[i], poison,
				(size_t)x->size[i], x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error("cannot clear memory", s);
}

/* ------------------------------------------------------------- launching */

/* The arguments of "l" point into "x". */
static enum cetane_status launch_with(struct tool_exec *x,
	const struct nvptx_launch *l, const unsigned grid[3], void **args,
	size_t *bytes)
{
	const unsigned block[3] = { (unsigned)l->thread[1],
				    (unsigned)l->thread[0], 1 };
	struct cetane_function *fn;
	enum cetane_status s;
	int i;

	for (i = 0; i < l->n_arg; i++) {
		if (l->arg[i].is_param)
			args[i] = &x->param[l->arg[i].index];
		else
			args[i] = &x->ptr[l->arg[i].index];
		bytes[i] = 8;
	}
	s = cetane_module_function(x->module, l->kernel, &fn);
	if (s == CETANE_OK)
		s = cetane_function_set_args(fn, bytes, l->n_arg);
	if (s == CETANE_OK)
		s = cetane_launch(fn, grid, block, (unsigned)l->shared_bytes,
			x->stream, args);
	return s;
}

static enum tool_exit launch(struct tool_exec *x,
	const struct nvptx_launch *l)
{
	int64_t n0 = nvptx_affine_eval(&l->n[0], x->plan->n_param, x->param);
	int64_t n1 = nvptx_affine_eval(&l->n[1], x->plan->n_param, x->param);
	const unsigned grid[3] = { (unsigned)n1,
		(unsigned)(n0 < GRID_Y ? n0 : GRID_Y),
		(unsigned)((n0 + GRID_Y - 1) / GRID_Y) };
	void **args;
	size_t *bytes;
	enum cetane_status s = CETANE_OUT_OF_MEMORY;

	if (n0 <= 0 || n1 <= 0)
		return TOOL_OK;
	args = calloc((size_t)l->n_arg + 1, sizeof(*args));
	bytes = calloc((size_t)l->n_arg + 1, sizeof(*bytes));
	if (args && bytes)
		s = launch_with(x, l, grid, args, bytes);
	free(args);
	free(bytes);
	return s == CETANE_OK ? TOOL_OK : tool_device_error(l->kernel, s);
}

enum tool_exit tool_exec_run(struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK;
	enum cetane_status s;
	int i;

	for (i = 0; i < x->plan->n_launch && status == TOOL_OK; i++)
		status = launch(x, &x->plan->launch[i]);
	if (status != TOOL_OK)
		return status;
	s = cetane_stream_synchronize(x->dev, x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error("cannot run the kernels", s);
}

void tool_exec_free(struct tool_exec *x)
{
	int i;

	for (i = 0; x->plan && x->ptr && i < x->plan->n_array; i++)
		if (!in_workspace(x, i) && x->ptr[i])
			cetane_free(x->dev, x->ptr[i]);
	if (x->work)
		cetane_free(x->dev, x->work);
	cetane_stream_destroy(x->stream);
	cetane_module_unload(x->module);
	cetane_device_close(x->dev);
	free(x->param);
	free(x->ptr);
	free(x->size);
	*x = (struct tool_exec){ 0 };
}

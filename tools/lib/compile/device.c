/* A compiled program on a device: load, allocate, launch, copy.
 *
 * The same calls of the runtime serve a GPU and the host device; only loading
 * the kernels differs. Everything goes through one stream of our own.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/image/image.h"
#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"

/* True if the kernel is to blame, not the environment.
 *
 * Deadlocks, overflows of the stack and accesses out of bounds are found by the
 * host device.
 */
static bool is_fault(enum cetane_status status)
{
	return status == CETANE_LAUNCH_FAILED || status == CETANE_DEADLOCK ||
		status == CETANE_STACK_OVERFLOW ||
		status == CETANE_OUT_OF_BOUNDS;
}

/* What runs without the device that "status" speaks of; "" if that is no way out. */
static const char *advise(enum cetane_status status)
{
	return status == CETANE_NO_DRIVER || status == CETANE_NO_DEVICE ||
		status == CETANE_DRIVER_TOO_OLD ? "; --device=host runs the same "
		"kernels on the processor" : "";
}

/* The runtime may have more to say than its status (cetane_last_error). */
enum tool_exit tool_device_error(const char *what, enum cetane_status status)
{
	const char *detail = cetane_last_error();
	struct poly_str text = { 0 };

	poly_str_printf(&text, "%s%s%s", *detail ? ": " : "", detail,
		advise(status));
	tool_message(MSG_DEVICE, what, cetane_status_text(status),
		text.s ? text.s : "", "");
	poly_str_free(&text);
	return is_fault(status) ? TOOL_MISMATCH : TOOL_ENVIRONMENT;
}

/* --------------------------------------------------------------- loading */

/* Load the kernels that were compiled in this process, in the order of the
 * record, with the sites that checks name.
 *
 * Functions and data have different pointer types in C, so the addresses are
 * copied as bytes.
 */
static enum cetane_status load_host(struct tool_exec *x,
	struct tool_compile *c)
{
	int n = x->record->n_kernel, n_site, i;
	const char *const *site = nvptx_sites(c->module, &n_site);
	/* "name" and "kernel" are copied by the runtime: they are freed here.
	 */
	const char **name = calloc((size_t)n + 1, sizeof(*name));
	cetane_host_kernel *kernel = calloc((size_t)n + 1, sizeof(*kernel));
	enum cetane_status s = CETANE_OUT_OF_MEMORY;

	for (i = 0; name && kernel && i < n; i++) {
		name[i] = x->record->kernel[i].name;
		memcpy(&kernel[i], &c->kernel[i], sizeof(kernel[i]));
	}
	if (name && kernel)
		s = cetane_module_from_host(x->dev, name, kernel, n, site,
			n_site, &x->module);
	free(name);
	free(kernel);
	return s;
}

/* Load the kernels of "c" and create a stream; x->fn receives what can be
 * launched. What fails is told.
 *
 * Machine code is preferred to PTX, which the driver would still have to
 * translate.
 */
static enum tool_exit load(struct tool_exec *x, struct tool_compile *c)
{
	const struct poly_str *image = c->cubin.len ? &c->cubin : &c->ptx;
	enum cetane_status s;

	if (c->nvptx.device == NVPTX_HOST)
		s = load_host(x, c);
	else
		s = cetane_module_load(x->dev, image->s, image->len,
			&x->module);
	if (s == CETANE_OK)
		s = cetane_rt_record_bind(x->record, x->module, x->fn);
	if (s != CETANE_OK)
		return tool_device_error("cannot load the kernels", s);
	s = cetane_stream_create(x->dev, &x->stream);
	if (s != CETANE_OK)
		return tool_device_error("cannot create a stream", s);
	return TOOL_OK;
}

/* ---------------------------------------------------------------- memory */

/* "name" stands in the message if there is not enough memory. */
static enum tool_exit allocate(struct tool_exec *x, int64_t size,
	cetane_ptr *ptr, const char *name)
{
	enum cetane_status s = cetane_malloc(x->dev, (size_t)size, ptr);

	return s == CETANE_OK ? TOOL_OK : tool_device_error(name, s);
}

/* With "separate" each temporary has its own memory, so that an access outside
 * of it is seen.
 */
static bool in_workspace(const struct tool_exec *x, int array)
{
	return !x->separate &&
		x->record->array[array].role == CETANE_RT_TEMP;
}

/* The size of each array; an error if one is absurd.
 *
 * The runtime computes sizes of arrays from the record's formulas; its limits
 * apply.
 */
static enum tool_exit measure(struct tool_exec *x)
{
	int i;

	for (i = 0; i < x->record->n_array; i++)
		if (cetane_rt_record_bytes(x->record, i, x->param,
				&x->size[i]) != CETANE_OK) {
			tool_message(MSG_RUN_TOO_BIG,
				x->record->array[i].name);
			return TOOL_INPUT;
		}
	return TOOL_OK;
}

/* Allocate the arrays; temporaries lie in the workspace.
 *
 * The layout gives each temporary its offset within the workspace; the address
 * of that is added when it is known.
 */
static enum tool_exit allocate_all(struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK;
	int64_t total = 0;
	int i;

	if (!x->separate && cetane_rt_record_layout(x->record, x->param,
			x->ptr, &total) != CETANE_OK) {
		tool_message(MSG_RUN_TOO_BIG, "the workspace");
		return TOOL_INPUT;
	}
	/* A workspace of no bytes is asked for as well. */
	status = allocate(x, total, &x->work, "the workspace");
	for (i = 0; i < x->record->n_array && status == TOOL_OK; i++) {
		if (in_workspace(x, i))
			x->ptr[i] += x->work;
		else
			status = allocate(x, x->size[i], &x->ptr[i],
				x->record->array[i].name);
	}
	return status;
}

/* --------------------------------------------------------------- set-up */

/* The value of the size "name" among the "n" values; 0 if it has none.
 *
 * Sizes are matched by name: the caller may have them in another order.
 */
static int64_t find_value(const char *name, const struct fe_define *value,
	int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(value[i].name, name))
			return value[i].value;
	return 0;
}

/* Memory for what there is one of for each size, array and kernel.
 *
 * What could be allocated is freed with "x".
 */
static bool make_tables(struct tool_exec *x)
{
	const struct cetane_rt_record *r = x->record;

	x->param = calloc((size_t)r->n_size + 1, sizeof(*x->param));
	x->ptr = calloc((size_t)r->n_array + 1, sizeof(*x->ptr));
	x->size = calloc((size_t)r->n_array + 1, sizeof(*x->size));
	x->fn = calloc((size_t)r->n_kernel + 1, sizeof(*x->fn));
	return x->param && x->ptr && x->size && x->fn;
}

/* Called once for each compiled program. If it fails, "x" is to be freed all
 * the same. It takes "dev", which is closed with it.
 */
enum tool_exit tool_exec_init(struct tool_exec *x, struct cetane_device *dev,
	struct tool_compile *c, const struct fe_define *value, int n_value,
	bool separate)
{
	enum tool_exit status;
	int i;

	*x = (struct tool_exec){ .dev = dev, .separate = separate };
	status = tool_launch_record(c, NULL, &x->record);
	if (status != TOOL_OK)
		return status;
	if (!make_tables(x))
		return tool_no_memory("the launch");
	for (i = 0; i < x->record->n_size; i++)
		x->param[i] = find_value(x->record->size[i].name, value,
			n_value);
	status = load(x, c);
	if (status == TOOL_OK)
		status = measure(x);
	if (status == TOOL_OK)
		status = allocate_all(x);
	return status;
}

/* -1 if the record has no such array. */
int tool_exec_find(const struct tool_exec *x, const char *name)
{
	int i;

	for (i = 0; i < x->record->n_array; i++)
		if (!strcmp(x->record->array[i].name, name))
			return i;
	return -1;
}

/* --------------------------------------------------------------- copying */

/* The copy is complete when this returns: the host memory may change. */
enum tool_exit tool_exec_upload(struct tool_exec *x, int array,
	const void *data)
{
	enum cetane_status s = cetane_copy_to_device(x->dev, x->ptr[array],
		data, (size_t)x->size[array], x->stream);

	if (s == CETANE_OK)
		s = cetane_stream_synchronize(x->dev, x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error(x->record->array[array].name, s);
}

/* It waits for all that stands in the stream before it. */
enum tool_exit tool_exec_download(struct tool_exec *x, int array, void *data)
{
	enum cetane_status s = cetane_copy_from_device(x->dev, data,
		x->ptr[array], (size_t)x->size[array], x->stream);

	if (s == CETANE_OK)
		s = cetane_stream_synchronize(x->dev, x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error(x->record->array[array].name, s);
}

/* Inputs keep what they hold. An element that is never written shows the byte
 * that the caller chose.
 */
enum tool_exit tool_exec_poison(struct tool_exec *x, unsigned char poison)
{
	enum cetane_status s = CETANE_OK;
	int i;

	for (i = 0; i < x->record->n_array && s == CETANE_OK; i++)
		if ((x->record->array[i].role == CETANE_RT_OUTPUT ||
		     x->record->array[i].role == CETANE_RT_TEMP) &&
		    x->size[i] > 0)
			s = cetane_memset(x->dev, x->ptr[i], poison,
				(size_t)x->size[i], x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error("cannot clear memory", s);
}

/* ------------------------------------------------------------- launching */

/* The check comes first: sizes for which the program is wrong are not launched.
 */
enum tool_exit tool_exec_run(struct tool_exec *x)
{
	enum cetane_status s = cetane_rt_record_check(x->record, x->param);

	if (s == CETANE_OK)
		s = cetane_rt_record_launch(x->record, x->fn, x->param,
			x->ptr, x->stream);
	if (s == CETANE_OK)
		s = cetane_stream_synchronize(x->dev, x->stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error("cannot run the kernels", s);
}

/* Do the inputs hold what the program assumes? */
enum tool_exit tool_exec_within(struct tool_exec *x)
{
	enum cetane_status s = cetane_rt_record_within(x->record, x->fn, x->param, x->ptr,
		x->stream);

	if (s != CETANE_INVALID_VALUE)
		return s == CETANE_OK ? TOOL_OK :
			tool_device_error("cannot look at the inputs", s);
	tool_message(MSG_RUN_ASSUMED, cetane_last_error());
	return TOOL_INPUT;
}

/* Frees what tool_exec_init() has got to, in the reverse order. */
void tool_exec_free(struct tool_exec *x)
{
	int i;

	for (i = 0; x->record && x->ptr && i < x->record->n_array; i++)
		if (!in_workspace(x, i) && x->ptr[i])
			cetane_free(x->dev, x->ptr[i]);
	if (x->work)
		cetane_free(x->dev, x->work);
	cetane_stream_destroy(x->stream);
	cetane_module_unload(x->module);
	cetane_device_close(x->dev);
	cetane_rt_record_free(x->record);
	free(x->param);
	free(x->ptr);
	free(x->size);
	free(x->fn);
	*x = (struct tool_exec){ 0 };
}

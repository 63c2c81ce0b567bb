/* The host device: opening, configuration and modules.
 *
 * It runs kernels that were compiled for the CPU, through the same calls as
 * a GPU. The other host_*.c files hold its parts; host.h says which.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* --------------------------------------------------------------- the device */

/* Queued work runs first; memory that was not freed goes with the device.
 *
 * By the API's rule memory is freed with its device.
 */
static void host_close(struct cetane_device *dev)
{
	struct host_device *hd = (struct host_device *) dev;

	cetane_rt_host_synchronize(dev);
	cetane_rt_host_pool_free(&hd->pool);
	cetane_rt_host_check_free(hd->check);
	cetane_rt_host_memory_free(hd);
	cetane_host_clear(dev);
	pthread_mutex_destroy(&hd->findings.lock);
	pthread_mutex_destroy(&hd->lock);
	free(hd);
}

/* Nothing runs yet: threads are started by the first launch that has use for
 * them.
 */
enum cetane_status cetane_rt_host_open(struct cetane_device **dev)
{
	struct host_device *hd = calloc(1, sizeof(*hd));

	if (!hd)
		return cetane_rt_no_memory();
	hd->check = cetane_rt_host_check_new();
	if (!hd->check) {
		free(hd);
		return cetane_rt_no_memory();
	}
	hd->base.ops = &cetane_rt_host_backend;
	strcpy(hd->base.name, "host");
	pthread_mutex_init(&hd->lock, NULL);
	pthread_mutex_init(&hd->findings.lock, NULL);
	cetane_rt_host_pool_init(&hd->pool);
	cetane_rt_host_stream_init(hd, &hd->stream0);
	*dev = &hd->base;
	return CETANE_OK;
}

/* Checks are off at first. They hold for launches from now on. */
enum cetane_status cetane_host_configure(struct cetane_device *dev,
	unsigned checks, uint64_t seed)
{
	unsigned all = CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT |
		CETANE_CHECK_RACE;
	struct host_device *hd = (struct host_device *) dev;

	if (!dev || (checks & ~all))
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"cetane_host_configure: NULL or unknown checks");
	if (dev->ops != &cetane_rt_host_backend)
		return cetane_rt_fail(CETANE_UNSUPPORTED,
			"cetane_host_configure: not the host device");
	pthread_mutex_lock(&hd->lock);
	hd->checks = checks;
	hd->seed = seed;
	pthread_mutex_unlock(&hd->lock);
	return CETANE_OK;
}

/* ------------------------------------------------------------------ modules */

/* Code for the host comes as functions, not as an image.
 *
 * A container's image for the host holds an ELF object, which a loader of the
 * process has to link first.
 */
static enum cetane_status host_module_load(struct cetane_device *dev,
	const void *image, size_t size, struct cetane_module **mod)
{
	(void) dev;
	(void) image;
	(void) size;
	(void) mod;
	return cetane_rt_fail(CETANE_UNSUPPORTED, "cetane_module_load: the "
		"host device takes no images; use cetane_module_from_host");
}

/* Fill in the functions of "m".
 *
 * n_arg is -1 until it is known (cetane_function_set_args).
 */
static void add_functions(struct host_module *m, const char *const *name,
	const cetane_host_kernel *kernel)
{
	struct host_device *hd = (struct host_device *) m->base.dev;
	int i;

	pthread_mutex_lock(&hd->lock);
	for (i = 0; i < m->n_function; i++) {
		struct host_function *f = &m->function[i];

		f->base.mod = &m->base;
		f->name = name[i];
		f->kernel = kernel[i];
		f->n_arg = -1;
		f->id = ++hd->n_function;
	}
	pthread_mutex_unlock(&hd->lock);
}

/* Names, functions and sites stay the caller's, and must live as long as the
 * module: they are in the same shared object, mostly.
 */
enum cetane_status cetane_module_from_host(struct cetane_device *dev,
	const char *const *name, const cetane_host_kernel *kernel, int n,
	const char *const *site, int n_site, struct cetane_module **mod)
{
	struct host_module *m;

	if (!dev || !mod || n < 0 || n_site < 0 || (n && (!name || !kernel)))
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"cetane_module_from_host: NULL or a negative count");
	if (dev->ops != &cetane_rt_host_backend)
		return cetane_rt_fail(CETANE_UNSUPPORTED,
			"cetane_module_from_host: not the host device");
	m = calloc(1, sizeof(*m));
	if (!m)
		return cetane_rt_no_memory();
	m->function = calloc(n ? n : 1, sizeof(*m->function));
	if (!m->function) {
		free(m);
		return cetane_rt_no_memory();
	}
	m->base.dev = dev;
	m->n_function = n;
	m->site = site;
	m->n_site = site ? n_site : 0;
	add_functions(m, name, kernel);
	*mod = &m->base;
	return CETANE_OK;
}

/* Queued launches of its functions run first. */
static enum cetane_status host_module_unload(struct cetane_module *mod)
{
	struct host_module *m = (struct host_module *) mod;
	enum cetane_status s = cetane_rt_host_synchronize(mod->dev);
	int i;

	for (i = 0; i < m->n_function; i++)
		free(m->function[i].arg_size);
	free(m->function);
	free(m);
	return s;
}

/* Linear, as a module has few kernels. */
static enum cetane_status host_module_function(struct cetane_module *mod,
	const char *name, struct cetane_function **fn)
{
	struct host_module *m = (struct host_module *) mod;
	int i;

	for (i = 0; i < m->n_function; i++)
		if (strcmp(m->function[i].name, name) == 0) {
			*fn = &m->function[i].base;
			return CETANE_OK;
		}
	return cetane_rt_fail(CETANE_NOT_FOUND,
		"the module has no function \"%s\"", name);
}

/* Keep a copy of the sizes. Launches read them under the lock, too. */
static enum cetane_status host_function_set_args(struct cetane_function *fn,
	const size_t *size, int n)
{
	struct host_device *hd = (struct host_device *) fn->mod->dev;
	struct host_function *f = (struct host_function *) fn;
	size_t *copy = malloc((n ? n : 1) * sizeof(*copy));

	if (!copy)
		return cetane_rt_no_memory();
	if (n)
		memcpy(copy, size, n * sizeof(*copy));
	pthread_mutex_lock(&hd->lock);
	free(f->arg_size);
	f->arg_size = copy;
	f->n_arg = n;
	pthread_mutex_unlock(&hd->lock);
	return CETANE_OK;
}

/* The order is that of struct cetane_backend (device.h). */
const struct cetane_backend cetane_rt_host_backend = {
	.close = host_close,
	.synchronize = cetane_rt_host_synchronize,
	.module_load = host_module_load,
	.module_unload = host_module_unload,
	.module_function = host_module_function,
	.function_set_args = host_function_set_args,
	.mem_alloc = cetane_rt_host_malloc,
	.mem_free = cetane_rt_host_free,
	.mem_rest = cetane_rt_host_rest,
	.copy_to = cetane_rt_host_copy_to,
	.copy_from = cetane_rt_host_copy_from,
	.mem_set = cetane_rt_host_memset,
	.stream_create = cetane_rt_host_stream_create,
	.stream_destroy = cetane_rt_host_stream_destroy,
	.stream_synchronize = cetane_rt_host_stream_synchronize,
	.stream_wait = cetane_rt_host_stream_wait,
	.is_captured = cetane_rt_host_is_captured,
	.event_create = cetane_rt_host_event_create,
	.event_destroy = cetane_rt_host_event_destroy,
	.event_record = cetane_rt_host_event_record,
	.event_synchronize = cetane_rt_host_event_synchronize,
	.event_elapsed = cetane_rt_host_event_elapsed,
	.launch = cetane_rt_host_launch,
	.encode = cetane_rt_host_encode,
};

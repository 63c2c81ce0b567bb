/* Programs in objects: load, launch, unload; a device that is closed unloads its own.
 *
 * An instance is a program loaded for one device or one CUDA context. The
 * instances of a program form a list that starts in the program itself; one
 * lock guards all lists. A launch counts itself as a user of its instance
 * instead of holding the lock, and whoever unloads leaves an instance that is
 * in use to its last user. A second lock, taken first, keeps two threads from
 * loading the same program at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/object/call.h"
#include "runtime/cuda/cuda.h"
#include "runtime/device/device.h"
#include "runtime/program.h"

/* Where the calling thread's programs run: on "dev", or, if that is NULL, in
 * the context "ctx".
 */
struct place {
	struct cetane_device *dev;
	struct cetane_rt_context ctx;
};

/* "dev" is that of the place, or borrows its context. */
struct cetane_instance {
	struct cetane_instance *next;		/* of the program */
	struct cetane_instance *next_loaded;	/* of all */
	struct cetane_program *program;
	struct place place;
	struct cetane_device *dev;
	struct cetane_module *mod;
	struct cetane_rt_record *record;
	struct cetane_function **fn;
	unsigned users;
	bool unloaded;		/* in no list; the last user frees it */
};

static _Thread_local struct cetane_device *used;
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cetane_instance *loaded;

enum cetane_status cetane_device_use(struct cetane_device *dev)
{
	used = dev;
	return CETANE_OK;
}

/* Where the calling thread's programs run; an error without a device and a
 * context.
 */
static enum cetane_status find_place(struct place *place)
{
	memset(place, 0, sizeof(*place));
	place->dev = used;
	return used ? CETANE_OK : cetane_rt_cuda_current(&place->ctx);
}

static bool is_at(const struct cetane_instance *in, const struct place *place)
{
	return in->place.dev == place->dev &&
		in->place.ctx.handle == place->ctx.handle &&
		in->place.ctx.id == place->ctx.id;
}

/* --------------------------------------------------------------- instances */

/* Frees "in", which may be incomplete and is in no list; returns how the
 * unloading went.
 */
static enum cetane_status destroy(struct cetane_instance *in)
{
	enum cetane_status s = cetane_module_unload(in->mod);

	if (in->dev && in->dev != in->place.dev)
		cetane_device_close(in->dev);
	cetane_rt_record_free(in->record);
	free(in->fn);
	free(in);
	return s;
}

/* Destroy "in" after the failure "s", which stays the last error. */
static enum cetane_status discard(struct cetane_instance *in,
	enum cetane_status s)
{
	char why[1024];

	snprintf(why, sizeof(why), "%s", cetane_last_error());
	destroy(in);
	return cetane_rt_fail(s, "%s", why);
}

/* Load the functions of the object, on the host device, under the names of the
 * kernels in the record.
 */
static enum cetane_status load_host(struct cetane_instance *in)
{
	const struct cetane_program *p = in->program;
	const struct cetane_rt_record *r = in->record;
	const char **name;
	enum cetane_status s;
	int i;

	if (!p->kernel)
		return cetane_rt_fail(CETANE_UNSUPPORTED, "%s: the object was "
			"opened without linking it, so it runs on GPUs alone",
			r->program);
	if (r->n_kernel < 0 || (uint32_t) r->n_kernel != p->n_kernel)
		return cetane_rt_fail(CETANE_BAD_CONTAINER, "%s: the object "
			"has %u kernels for the host device, its record %d",
			r->program, (unsigned) p->n_kernel, r->n_kernel);
	name = calloc(r->n_kernel + 1, sizeof(*name));
	if (!name)
		return cetane_rt_no_memory();
	for (i = 0; i < r->n_kernel; i++)
		name[i] = r->kernel[i].name;
	s = cetane_module_from_host(in->dev, name, p->kernel, r->n_kernel,
		NULL, 0, &in->mod);
	free(name);
	return s;
}

/* Pick the image for the device of "in" and load it. */
static enum cetane_status fill(struct cetane_instance *in)
{
	const struct cetane_program *p = in->program;
	struct cetane_rt_image image;
	enum cetane_status s;

	s = cetane_rt_image_pick(p->container, p->size,
		cetane_device_capability(in->dev), &image);
	if (s == CETANE_OK)
		s = cetane_rt_record_read(&image, &in->record);
	if (s != CETANE_OK)
		return s;
	if (image.kind == CETANE_RT_HOST)
		s = load_host(in);
	else
		s = cetane_module_load(in->dev, image.data, image.size,
			&in->mod);
	if (s != CETANE_OK)
		return s;
	in->fn = calloc(in->record->n_kernel + 1, sizeof(*in->fn));
	return in->fn ? cetane_rt_record_bind(in->record, in->mod, in->fn) :
		cetane_rt_no_memory();
}

/* Load "p" at "place" as an instance that is in no list yet. */
static enum cetane_status create(struct cetane_program *p,
	const struct place *place, struct cetane_instance **result)
{
	struct cetane_instance *in = calloc(1, sizeof(*in));
	enum cetane_status s = CETANE_OK;

	if (!in)
		return cetane_rt_no_memory();
	in->program = p;
	in->place = *place;
	in->dev = place->dev;
	if (!in->dev)
		s = cetane_rt_cuda_borrow(&place->ctx, &in->dev);
	if (s == CETANE_OK)
		s = fill(in);
	if (s != CETANE_OK)
		return discard(in, s);
	*result = in;
	return CETANE_OK;
}

/* ------------------------------------------------------------------- lists */

/* The program's instance at "place", with one user more; or NULL. */
static struct cetane_instance *acquire(struct cetane_program *p,
	const struct place *place)
{
	struct cetane_instance *in;

	pthread_mutex_lock(&list_lock);
	for (in = p->instance; in && !is_at(in, place); in = in->next)
		;
	if (in)
		in->users++;
	pthread_mutex_unlock(&list_lock);
	return in;
}

/* Undo acquire; returns how the unloading went, if it was due. */
static enum cetane_status release(struct cetane_instance *in)
{
	bool last;

	pthread_mutex_lock(&list_lock);
	last = --in->users == 0 && in->unloaded;
	pthread_mutex_unlock(&list_lock);
	return last ? destroy(in) : CETANE_OK;
}

/* Put a new instance into the lists, with one user. */
static void insert(struct cetane_instance *in)
{
	pthread_mutex_lock(&list_lock);
	in->users = 1;
	in->next = in->program->instance;
	in->program->instance = in;
	in->next_loaded = loaded;
	loaded = in;
	pthread_mutex_unlock(&list_lock);
}

/* Take "in" out of both lists, with list_lock held. */
static void take_out(struct cetane_instance *in)
{
	struct cetane_instance **link;

	for (link = &in->program->instance; *link != in;
			link = &(*link)->next)
		;
	*link = in->next;
	for (link = &loaded; *link != in; link = &(*link)->next_loaded)
		;
	*link = in->next_loaded;
	in->unloaded = true;
}

/* Load the program at "place" unless that was done; one user more. */
static enum cetane_status load(struct cetane_program *p,
	const struct place *place, struct cetane_instance **result)
{
	struct cetane_instance *in;
	enum cetane_status s = CETANE_OK;

	if (p->abi != CETANE_RT_ABI)
		return cetane_rt_fail(CETANE_BAD_CONTAINER, "the object is of "
			"ABI %u, this library knows ABI %d",
			(unsigned) p->abi, CETANE_RT_ABI);
	pthread_mutex_lock(&load_lock);
	in = acquire(p, place);
	if (!in) {
		s = create(p, place, &in);
		if (s == CETANE_OK)
			insert(in);
	}
	pthread_mutex_unlock(&load_lock);
	if (s == CETANE_OK)
		*result = in;
	return s;
}

int cetane_program_load(struct cetane_program *p)
{
	struct cetane_instance *in;
	struct place place;
	enum cetane_status s = find_place(&place);

	if (s == CETANE_OK)
		s = load(p, &place, &in);
	if (s == CETANE_OK)
		release(in);
	return s;
}

int cetane_program_unload(struct cetane_program *p)
{
	struct cetane_instance *in;
	struct place place;
	enum cetane_status s = find_place(&place);

	if (s != CETANE_OK)
		return s;
	in = acquire(p, &place);
	if (!in)
		return CETANE_OK;
	pthread_mutex_lock(&list_lock);
	if (!in->unloaded)
		take_out(in);
	pthread_mutex_unlock(&list_lock);
	return release(in);
}

/* An instance on "dev", taken out of the lists; NULL if there is none. */
static struct cetane_instance *take_from(const struct cetane_device *dev)
{
	struct cetane_instance *in;

	pthread_mutex_lock(&list_lock);
	for (in = loaded; in && in->place.dev != dev; in = in->next_loaded)
		;
	if (in) {
		take_out(in);
		in->users++;
	}
	pthread_mutex_unlock(&list_lock);
	return in;
}

void cetane_program_unload_all(struct cetane_program *p)
{
	struct cetane_instance *in;

	do {
		pthread_mutex_lock(&list_lock);
		in = p->instance;
		if (in) {
			take_out(in);
			in->users++;
		}
		pthread_mutex_unlock(&list_lock);
		if (in)
			release(in);
	} while (in);
}

void cetane_device_close(struct cetane_device *dev)
{
	struct cetane_instance *in;

	if (!dev)
		return;
	while ((in = take_from(dev)))
		release(in);
	if (used == dev)
		used = NULL;
	cetane_rt_lanes_free(dev);
	dev->ops->close(dev);
}

/* -------------------------------------------------------------- workspace */

/* The workspace of "r" for the sizes that are no pitches. Which version runs depends on
 * pitches, too, so where there are such it is that of the version that takes most.
 */
static enum cetane_status measure_record(const struct cetane_rt_record *r,
	const int64_t *size, int64_t *total)
{
	int64_t all[r->n_size + 1], one;
	enum cetane_status s = cetane_rt_record_sizes(r, size, NULL, all);
	bool any = cetane_rt_record_plain(r) < r->n_size && r->n_version;

	if (s == CETANE_OK && !any)
		return cetane_rt_record_layout(r, all, NULL, total);
	for (int i = 0; i < r->n_version && s == CETANE_OK; i++) {
		s = cetane_rt_record_layout_of(r, all, i, NULL, &one);
		*total = s == CETANE_OK && one > *total ? one : *total;
	}
	return s;
}

/* The workspace of image "i", if it is larger than "*most". */
static enum cetane_status measure(const struct cetane_program *p, int i,
	const int64_t *size, int64_t *most)
{
	struct cetane_rt_record *r;
	struct cetane_rt_image image;
	enum cetane_status s;
	int64_t total = 0;

	s = cetane_rt_image_get(p->container, p->size, i, &image);
	if (s == CETANE_OK)
		s = cetane_rt_record_read(&image, &r);
	if (s != CETANE_OK)
		return s;
	s = measure_record(r, size, &total);
	if (s == CETANE_OK && total > *most)
		*most = total;
	cetane_rt_record_free(r);
	return s;
}

int64_t cetane_program_workspace(const struct cetane_program *p,
	const int64_t *size)
{
	enum cetane_status s;
	int64_t most = 0;
	int i, n = 0;

	s = cetane_rt_image_count(p->container, p->size, &n);
	for (i = 0; i < n && s == CETANE_OK; i++)
		s = measure(p, i, size, &most);
	return s == CETANE_OK ? most : -1;
}

/* ----------------------------------------------------------------- launch */

/* The address of each array: the caller's, or a place in the workspace. */
static enum cetane_status place_arrays(const struct cetane_rt_record *r,
	const int64_t *size, void *const *array, void *workspace,
	int64_t *total, cetane_ptr *at)
{
	enum cetane_status s = cetane_rt_record_layout(r, size, at, total);
	int i, n = 0;

	if (s != CETANE_OK)
		return s;
	if (*total && !workspace)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the workspace "
			"is NULL, it needs %lld bytes", r->program,
			(long long) *total);
	for (i = 0; i < r->n_array; i++) {
		if (r->array[i].role == CETANE_RT_TEMP)
			at[i] += (uintptr_t) workspace;
		else
			at[i] = (uintptr_t) array[n++];
	}
	return CETANE_OK;
}

/* Launch the instance on "stream", of its device, or of the driver where it borrows
 * a context. If "checked", pointers are checked first, and what arrays hold.
 */
static enum cetane_status launch_at(const struct cetane_instance *in,
	void *stream, const int64_t *plain, const int64_t *stride,
	void *const *array, void *workspace, bool checked)
{
	const struct cetane_rt_record *r = in->record;
	int64_t size[r->n_size + 1];
	struct cetane_rt_cuda_stream wrapped =
		cetane_rt_cuda_wrap(in->dev, stream);
	cetane_ptr at[r->n_array + 1];
	int64_t total;
	enum cetane_status s;

	s = cetane_rt_record_sizes(r, plain, stride, size);
	if (s == CETANE_OK)
		s = place_arrays(r, size, array, workspace, &total, at);
	if (s == CETANE_OK && checked)
		s = cetane_rt_check_pointers(r, in->dev, size, array,
			workspace, total, NULL);
	if (s == CETANE_OK && checked && cetane_rt_record_assumes(r))
		s = cetane_rt_cuda_no_capture(in->place.dev, stream);
	if (s == CETANE_OK && checked)
		s = cetane_rt_record_within(r, in->fn, size, at,
			in->place.dev ? stream : &wrapped.base);
	if (s != CETANE_OK)
		return s;
	return cetane_rt_record_launch(r, in->fn, size, at,
		in->place.dev ? stream : &wrapped.base);
}

/* Load on the first launch, but not into a capture: that would fail, or break
 * the capture.
 */
static enum cetane_status load_late(struct cetane_program *p,
	const struct place *place, void *stream, struct cetane_instance **in)
{
	enum cetane_status s = cetane_rt_cuda_no_capture(place->dev, stream);

	return s == CETANE_OK ? load(p, place, in) : s;
}

int cetane_program_launch(struct cetane_program *p, void *stream,
	const int64_t *size, void *const *array, void *workspace,
	int32_t checked)
{
	return cetane_program_launch_strided(p, stream, size, NULL, array,
		workspace, checked);
}

int cetane_program_launch_record(void *const *record)
{
	return cetane_program_launch_strided(record[0], record[1], record[2],
		NULL, record + 4, record[3], 0);
}

int cetane_program_launch_strided(struct cetane_program *p, void *stream,
	const int64_t *size, const int64_t *stride, void *const *array,
	void *workspace, int32_t checked)
{
	struct cetane_instance *in;
	struct place place;
	enum cetane_status s = find_place(&place);

	if (s != CETANE_OK)
		return s;
	in = acquire(p, &place);
	if (!in)
		s = load_late(p, &place, stream, &in);
	if (s != CETANE_OK)
		return s;
	s = launch_at(in, stream, size, stride, array, workspace, checked);
	release(in);
	return s;
}

/* ------------------------------------------------------------------- calls */

enum cetane_status cetane_rt_program_enter(struct cetane_program *p,
	struct cetane_device *other, struct cetane_rt_entered *e)
{
	struct place place;
	enum cetane_status s = find_place(&place);

	if (other) {
		place = (struct place) { .dev = other };
		s = CETANE_OK;
	}
	if (s == CETANE_OK)
		s = load(p, &place, &e->instance);
	if (s != CETANE_OK)
		return s;
	e->dev = e->instance->dev;
	e->record = e->instance->record;
	e->fn = e->instance->fn;
	return CETANE_OK;
}

void cetane_rt_program_exit(struct cetane_rt_entered *e)
{
	release(e->instance);
}

enum cetane_status cetane_rt_program_placed(bool *yes)
{
	struct place place;
	enum cetane_status s = find_place(&place);

	*yes = s == CETANE_OK;
	return s == CETANE_NO_CONTEXT || s == CETANE_NO_DRIVER ||
		s == CETANE_NO_DEVICE ? CETANE_OK : s;
}

/* Programs on arrays of the host: what the drop-in replacement of a C function
 * calls.
 *
 * One call allocates on the device, copies in what the program reads, runs it,
 * waits, copies out what it wrote, and frees. It runs where the thread's
 * programs run (program.c); where that is nowhere, on the device that
 * $CETANE_DEVICE names, or else on the first GPU, or, if the machine has none,
 * on the host device. That device is opened once and stays open.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/object/call.h"
#include "runtime/program.h"

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cetane_device *default_device;

/* A program that runs on arrays of the host. "at" are their addresses on the
 * device, one for each array of the record; of a temporary, in "work".
 */
struct call {
	struct cetane_rt_entered e;
	const int64_t *size;
	void *const *array;
	const struct cetane_program_layout *layout;	/* or NULL */
	void **buffer;	/* of members, one for each array, without gaps */
	cetane_ptr *at, work;
};

/* ----------------------------------------------------------------- device */

/* The name of the device for those who chose none. */
static enum cetane_status choose_device(const char **name)
{
	enum cetane_status s;
	int n = 0;

	*name = secure_getenv("CETANE_DEVICE");
	if (*name && **name)
		return CETANE_OK;
	s = cetane_cuda_count(&n);
	*name = s == CETANE_OK && n > 0 ? "cuda" : "host";
	return s == CETANE_NO_DRIVER || s == CETANE_NO_DEVICE ? CETANE_OK : s;
}

/* The device for those who chose none, which the first call opens. */
static enum cetane_status open_default(struct cetane_device **dev)
{
	enum cetane_status s = CETANE_OK;
	const char *name;

	pthread_mutex_lock(&device_lock);
	if (!default_device) {
		s = choose_device(&name);
		if (s == CETANE_OK)
			s = cetane_device_open(name, &default_device);
	}
	*dev = default_device;
	pthread_mutex_unlock(&device_lock);
	return s;
}

/* ------------------------------------------------------------------ arrays */

static bool call_reads(const struct cetane_rt_array *a)
{
	return a->role == CETANE_RT_INPUT || a->role == CETANE_RT_INOUT;
}

static bool call_writes(const struct cetane_rt_array *a)
{
	return a->role == CETANE_RT_OUTPUT || a->role == CETANE_RT_INOUT;
}

/* Room on the device for all arrays of the program: temporaries in one workspace,
 * each other array by itself. What has been allocated is in "c", also after a
 * failure.
 */
static enum cetane_status allocate_arrays(struct call *c)
{
	const struct cetane_rt_record *r = c->e.record;
	enum cetane_status s;
	int64_t total, bytes;
	int i;

	s = cetane_rt_record_layout(r, c->size, c->at, &total);
	if (s == CETANE_OK)
		s = cetane_malloc(c->e.dev, (size_t) total, &c->work);
	for (i = 0; i < r->n_array && s == CETANE_OK; i++) {
		if (r->array[i].role == CETANE_RT_TEMP) {
			c->at[i] += c->work;
			continue;
		}
		s = cetane_rt_record_bytes(r, i, c->size, &bytes);
		if (s == CETANE_OK)
			s = cetane_malloc(c->e.dev, (size_t) bytes, &c->at[i]);
	}
	return s;
}

/* Where array "n" of the caller lies without gaps, "bytes" long: there, or in a
 * buffer if it has members of structures. NULL without memory.
 */
static void *dense(struct call *c, int n, int64_t bytes)
{
	if (!c->layout || !c->layout[n].pitch || !bytes)
		return c->array[n];
	if (!c->buffer[n])
		c->buffer[n] = malloc((size_t) bytes);
	return c->buffer[n];
}

/* Copy the members to their buffer, or back into the structures. */
static void move_members(struct call *c, int n, int64_t bytes, size_t size,
	bool back)
{
	const struct cetane_program_layout *l = &c->layout[n];
	char *one = c->buffer[n], *of = c->array[n];
	int64_t k, left = bytes / (int64_t) size / l->n;

	for (; left > 0; left--, of += l->pitch)
		for (k = 0; k < l->n; k++, one += size)
			memcpy(back ? of + l->offset[k] : one,
				back ? one : of + l->offset[k], size);
}

/* Put back all members that were written. */
static enum cetane_status scatter_members(struct call *c)
{
	const struct cetane_rt_record *r = c->e.record;
	enum cetane_status s = CETANE_OK;
	int64_t bytes;
	int i, n = 0;

	for (i = 0; i < r->n_array && s == CETANE_OK; i++) {
		if (r->array[i].role == CETANE_RT_TEMP)
			continue;
		s = cetane_rt_record_bytes(r, i, c->size, &bytes);
		if (s == CETANE_OK && c->buffer[n] && call_writes(&r->array[i]))
			move_members(c, n, bytes,
				(size_t) r->array[i].elem_bytes, true);
		n++;
	}
	return s;
}

/* Copy all arrays that are read to the device, or all that are written back. */
static enum cetane_status copy_arrays(struct call *c, bool back)
{
	const struct cetane_rt_record *r = c->e.record;
	enum cetane_status s = CETANE_OK;
	int64_t bytes;
	int i, n = 0;

	for (i = 0; i < r->n_array && s == CETANE_OK; i++) {
		const struct cetane_rt_array *a = &r->array[i];
		void *host = NULL;
		int k = a->role == CETANE_RT_TEMP ? -1 : n++;

		if (!(back ? call_writes(a) : call_reads(a)))
			continue;
		s = cetane_rt_record_bytes(r, i, c->size, &bytes);
		if (s == CETANE_OK)
			host = dense(c, k, bytes);
		if (s == CETANE_OK && bytes && !host)
			s = cetane_rt_no_memory();
		if (s == CETANE_OK && !back && c->buffer[k])
			move_members(c, k, bytes, (size_t) a->elem_bytes,
				false);
		if (s == CETANE_OK && back)
			s = cetane_copy_from_device(c->e.dev, host, c->at[i],
				(size_t) bytes, NULL);
		else if (s == CETANE_OK)
			s = cetane_copy_to_device(c->e.dev, c->at[i], host,
				(size_t) bytes, NULL);
	}
	return s;
}

/* Free what was allocated; "s", or else what fails here. */
static enum cetane_status free_call_arrays(struct call *c, enum cetane_status s)
{
	const struct cetane_rt_record *r = c->e.record;
	enum cetane_status one;
	int i;

	for (i = 0; i < r->n_array; i++) {
		if (r->array[i].role == CETANE_RT_TEMP || !c->at[i])
			continue;
		one = cetane_free(c->e.dev, c->at[i]);
		s = s == CETANE_OK ? one : s;
	}
	one = cetane_free(c->e.dev, c->work);
	return s == CETANE_OK ? one : s;
}

/* ------------------------------------------------------------------- calls */

/* Nothing of the caller's is written unless the program has run. */
static enum cetane_status run_call(struct call *c)
{
	const struct cetane_rt_record *r = c->e.record;
	enum cetane_status s = allocate_arrays(c), waited;

	if (s == CETANE_OK)
		s = copy_arrays(c, false);
	if (s == CETANE_OK)
		s = cetane_rt_record_within(r, c->e.fn, c->size, c->at, NULL);
	if (s == CETANE_OK)
		s = cetane_rt_record_launch(r, c->e.fn, c->size, c->at, NULL);
	waited = cetane_stream_synchronize(c->e.dev, NULL);
	s = s == CETANE_OK ? waited : s;
	if (s == CETANE_OK)
		s = copy_arrays(c, true);
	if (s == CETANE_OK)
		s = cetane_stream_synchronize(c->e.dev, NULL);
	if (s == CETANE_OK)
		s = scatter_members(c);
	return free_call_arrays(c, s);
}

int cetane_program_refuse(const char *name, const char *assumed)
{
	return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: was compiled for "
		"sizes with %s", name, assumed);
}

/* "assumed", unless NULL, does not hold. */
static enum cetane_status call_at(struct call *c, const char *assumed)
{
	const struct cetane_rt_record *r = c->e.record;
	int64_t all[r->n_size + 1];
	enum cetane_status s = cetane_rt_record_sizes(r, c->size, NULL, all);

	c->size = all;
	if (s == CETANE_OK && assumed)
		s = (enum cetane_status)cetane_program_refuse(r->program,
			assumed);
	if (s == CETANE_OK)
		s = cetane_rt_check_pointers(r, NULL, c->size, c->array,
			NULL, 0, c->layout);
	if (s != CETANE_OK)
		return s;
	c->at = calloc((size_t) r->n_array + 1, sizeof(*c->at));
	c->buffer = calloc((size_t) r->n_array + 1, sizeof(*c->buffer));
	s = c->at && c->buffer ? run_call(c) : cetane_rt_no_memory();
	for (int i = 0; c->buffer && i < r->n_array; i++)
		free(c->buffer[i]);
	free(c->buffer);
	free(c->at);
	return s;
}

int cetane_program_call(struct cetane_program *p, const int64_t *size,
	void *const *array, int32_t valid, const char *assumed)
{
	return cetane_program_call_members(p, size, array, valid, assumed,
		NULL);
}

int cetane_program_call_members(struct cetane_program *p, const int64_t *size,
	void *const *array, int32_t valid, const char *assumed,
	const struct cetane_program_layout *layout)
{
	struct call c = { .size = size, .array = array, .layout = layout };
	struct cetane_device *dev = NULL;
	bool placed = false;
	enum cetane_status s = cetane_rt_program_placed(&placed);

	if (s == CETANE_OK && !placed)
		s = open_default(&dev);
	if (s == CETANE_OK)
		s = cetane_rt_program_enter(p, dev, &c.e);
	if (s != CETANE_OK)
		return s;
	s = call_at(&c, valid ? NULL : assumed);
	cetane_rt_program_exit(&c.e);
	return s;
}

/* Do arrays hold what their program assumes? The device looks at all elements, by kernels
 * of the program (nvptx/kernel/within.c): it tells the first one that does not.
 */
#include <stdio.h>
#include <string.h>
#include "runtime/device/device.h"
#include "runtime/image/image.h"

/* Threads of a block of such a kernel; of all blocks, at most. */
enum { WITHIN_BLOCK = 256, WITHIN_MOST = 1 << 18 };

/* One array whose elements are looked at: "kernel" has looked at "first" of them, and the
 * word at "found" gets the number of one that is not from "low" to "high".
 */
struct within {
	const struct cetane_rt_record *r;
	int array, n_dim;
	int64_t extent[CETANE_RT_MAX_DIM], stride[CETANE_RT_MAX_DIM];
	int64_t low, high, first;
	cetane_ptr at, found;
	struct cetane_function *fn;
	struct cetane_stream *stream;
};

bool cetane_rt_record_assumes(const struct cetane_rt_record *r)
{
	for (int i = 0; i < r->n_array; i++)
		if (r->array[i].look)
			return true;
	return false;
}

/* Look at "n" elements from "at" on, which lie side by side. */
static enum cetane_status look_along(struct within *w, cetane_ptr at, int64_t n)
{
	int64_t blocks = n / WITHIN_BLOCK + 1, all;
	const struct cetane_rt_kernel *k = &w->r->kernel[w->r->array[w->array].look - 1];
	struct cetane_rt_shape shape = { .grid = { 1, 1, 1 },
		.block = { (unsigned) k->thread[1], (unsigned) k->thread[0], 1 },
		.cluster = { 1, 1 } };
	void *args[] = { &at, &n, &w->low, &w->high, &all, &w->first, &w->found, NULL };
	enum cetane_status s;

	if (blocks > WITHIN_MOST / WITHIN_BLOCK)
		blocks = WITHIN_MOST / WITHIN_BLOCK;
	shape.grid[0] = (unsigned) blocks;
	all = blocks * WITHIN_BLOCK;
	s = cetane_rt_launch_clusters(w->fn, &shape, w->stream, args);
	w->first += n;
	return s;
}

/* Look at what lies in dimension "d" and behind it from "at" on. */
static enum cetane_status look_in(struct within *w, int d, cetane_ptr at)
{
	int64_t bytes = w->r->array[w->array].elem_bytes, n = 1;
	enum cetane_status s = CETANE_OK;
	bool dense = true;

	for (int k = w->n_dim - 1; k >= d; k--) {
		dense &= w->stride[k] == n;
		n *= w->extent[k];
	}
	if (n == 0 || dense)
		return n ? look_along(w, at, n) : CETANE_OK;
	for (int64_t i = 0; i < w->extent[d] && s == CETANE_OK; i++)
		s = look_in(w, d + 1, at + (cetane_ptr) (i * w->stride[d] * bytes));
	return s;
}

/* The element at "at" as a number; the greatest there is, of those of 64 bits without a
 * sign that are none.
 */
static enum cetane_status value_at(const struct within *w, cetane_ptr at, int64_t *v)
{
	const struct cetane_rt_array *a = &w->r->array[w->array];
	struct cetane_device *dev = w->fn->mod->dev;
	bool is_signed = a->type[0] == 'i';
	unsigned char byte[8] = { 0 };
	enum cetane_status s;

	s = cetane_copy_from_device(dev, byte, at, (size_t) a->elem_bytes, w->stream);
	if (s == CETANE_OK)
		s = cetane_stream_synchronize(dev, w->stream);
	if (s != CETANE_OK)
		return s;
	if (is_signed && byte[a->elem_bytes - 1] >> 7)
		memset(byte + a->elem_bytes, 0xff, (size_t) (8 - a->elem_bytes));
	memcpy(v, byte, sizeof(*v));
	if (!is_signed && *v < 0)
		*v = INT64_MAX;
	return CETANE_OK;
}

/* Refuse the array, whose element number "number" is none of those that are assumed. */
static enum cetane_status refuse_element(const struct within *w, int64_t number)
{
	const struct cetane_rt_array *a = &w->r->array[w->array];
	int64_t index[CETANE_RT_MAX_DIM], v;
	cetane_ptr at = w->at;
	char text[32 * CETANE_RT_MAX_DIM + 1] = "";
	size_t len = 0;
	enum cetane_status s;

	for (int d = w->n_dim - 1; d >= 0; d--) {
		index[d] = number % w->extent[d];
		number /= w->extent[d];
		at += (cetane_ptr) (index[d] * w->stride[d] * a->elem_bytes);
	}
	for (int d = 0; d < w->n_dim; d++)
		len += (size_t) snprintf(text + len, sizeof(text) - len, "%s%lld",
			d ? "," : "[", (long long) index[d]);
	s = value_at(w, at, &v);
	if (s != CETANE_OK)
		return s;
	return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s%s%s is %lld, but the program "
		"assumes that it is from %lld to %lld", w->r->program, a->name, text,
		w->n_dim ? "]" : "", (long long) v, (long long) w->low,
		(long long) w->high);
}

/* Look at the array of "w", and tell what is found. */
static enum cetane_status look_at_array(struct within *w)
{
	struct cetane_device *dev = w->fn->mod->dev;
	int64_t number = INT64_MAX;
	enum cetane_status s;

	s = cetane_copy_to_device(dev, w->found, &number, sizeof(number), w->stream);
	if (s == CETANE_OK)
		s = look_in(w, 0, w->at);
	if (s == CETANE_OK)
		s = cetane_copy_from_device(dev, &number, w->found, sizeof(number),
			w->stream);
	if (s == CETANE_OK)
		s = cetane_stream_synchronize(dev, w->stream);
	return s == CETANE_OK && number != INT64_MAX ? refuse_element(w, number) : s;
}

/* Look at array "i", whose limits are formulas of the sizes. */
static enum cetane_status look_at(struct within *w, const int64_t *size)
{
	const struct cetane_rt_array *a = &w->r->array[w->array];

	w->n_dim = a->n_dim;
	w->first = 0;
	if (!cetane_rt_record_extents(w->r, w->array, size, w->extent) ||
		!cetane_rt_formula_value(&a->within[0], size, NULL, &w->low) ||
		!cetane_rt_formula_value(&a->within[1], size, NULL, &w->high))
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: what %s holds has no "
			"limit for these sizes", w->r->program, a->name);
	cetane_rt_record_strides(w->r, w->array, size, w->extent, w->stride);
	return look_at_array(w);
}

enum cetane_status cetane_rt_record_within(const struct cetane_rt_record *r,
	struct cetane_function *const *fn, const int64_t *size, const cetane_ptr *array,
	struct cetane_stream *stream)
{
	struct within w = { .r = r, .stream = stream };
	enum cetane_status s, freed;

	if (!cetane_rt_record_assumes(r))
		return CETANE_OK;
	s = cetane_malloc(fn[0]->mod->dev, sizeof(int64_t), &w.found);
	if (s != CETANE_OK)
		return s;
	for (int i = 0; i < r->n_array && s == CETANE_OK; i++) {
		if (!r->array[i].look)
			continue;
		w.array = i;
		w.at = array[i];
		w.fn = fn[r->array[i].look - 1];
		s = look_at(&w, size);
	}
	freed = cetane_free(fn[0]->mod->dev, w.found);
	return s == CETANE_OK ? freed : s;
}

/* Evaluate a launch record: checks of sizes, bytes of arrays, the workspace,
 * grids, and the launches themselves. Whoever runs a compiled program comes
 * through here.
 */
#include <stdlib.h>
#include "image.h"

enum { GRID_Y = 65535 };
#define MOST_BYTES (INT64_C(1) << 46)

static int64_t floor_div(int64_t n, int64_t d)
{
	int64_t q = n / d;

	return n % d < 0 ? q - 1 : q;
}

/* False if the value does not fit into 64 bits. */
static bool evaluate(const struct cetane_rt_affine *a, int n_size,
	const int64_t *size, int64_t *value)
{
	int64_t sum = a->c, term;
	int i;

	for (i = 0; i < n_size; i++)
		if (__builtin_mul_overflow(a->coef[i], size[i], &term) ||
			__builtin_add_overflow(sum, term, &sum))
			return false;
	*value = floor_div(sum, a->div);
	return true;
}

enum cetane_status cetane_rt_record_check(const struct cetane_rt_record *r,
	const int64_t *size)
{
	int i;

	for (i = 0; i < r->n_size; i++) {
		const struct cetane_rt_size *s = &r->size[i];

		if (size[i] < 0 || size[i] > INT32_MAX)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the "
				"size %s is %lld, not from 0 to 2147483647",
				r->program, s->name, (long long) size[i]);
		if (s->fixed && size[i] != s->value)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the "
				"size %s is %lld, but was compiled as %lld",
				r->program, s->name, (long long) size[i],
				(long long) s->value);
	}
	return CETANE_OK;
}

/* Multiply "*n" by "by" >= 0; false above MOST_BYTES. */
static bool scale(int64_t *n, int64_t by)
{
	if (by < 0 || (by && *n > MOST_BYTES / by))
		return false;
	*n *= by;
	return true;
}

enum cetane_status cetane_rt_record_bytes(const struct cetane_rt_record *r,
	int i, const int64_t *size, int64_t *bytes)
{
	const struct cetane_rt_array *a = &r->array[i];
	int64_t n = a->elem_bytes, extent;
	bool ok = true, empty = false;
	int d;

	for (d = 0; d < a->n_dim; d++) {
		if (!evaluate(&a->extent[d], r->n_size, size, &extent))
			ok = false;
		else if (extent == 0)
			empty = true;
		else
			ok = ok && scale(&n, extent);
	}
	if (!ok && !empty)
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"%s: %s is too large for any memory", r->program,
			a->name);
	*bytes = empty ? 0 : n;
	return CETANE_OK;
}

enum cetane_status cetane_rt_record_layout(const struct cetane_rt_record *r,
	const int64_t *size, cetane_ptr *offset, int64_t *total)
{
	enum cetane_status s;
	int64_t at = 0, bytes;
	int i;

	for (i = 0; i < r->n_array; i++) {
		if (r->array[i].role != CETANE_RT_TEMP)
			continue;
		s = cetane_rt_record_bytes(r, i, size, &bytes);
		if (s != CETANE_OK)
			return s;
		if (offset)
			offset[i] = (cetane_ptr) at;
		bytes = (bytes + CETANE_RT_WORK_ALIGN - 1) /
			CETANE_RT_WORK_ALIGN * CETANE_RT_WORK_ALIGN;
		if (at > MOST_BYTES - bytes)
			return cetane_rt_fail(CETANE_INVALID_VALUE,
				"%s: the workspace is too large for any "
				"memory", r->program);
		at += bytes;
	}
	*total = at;
	return CETANE_OK;
}

enum cetane_status cetane_rt_record_bind(const struct cetane_rt_record *r,
	struct cetane_module *mod, struct cetane_function **fn)
{
	enum cetane_status s = CETANE_OK;
	size_t *bytes;
	int i, k;

	for (i = 0; i < r->n_kernel && s == CETANE_OK; i++) {
		const struct cetane_rt_kernel *kernel = &r->kernel[i];

		bytes = malloc((kernel->n_arg + 1) * sizeof(*bytes));
		if (!bytes)
			return cetane_rt_fail(CETANE_OUT_OF_MEMORY,
				"out of memory");
		for (k = 0; k < kernel->n_arg; k++)
			bytes[k] = 8;
		s = cetane_module_function(mod, kernel->name, &fn[i]);
		if (s == CETANE_OK)
			s = cetane_function_set_args(fn[i], bytes,
				kernel->n_arg);
		free(bytes);
	}
	return s;
}

/* The grid of "k"; of 0 blocks if there is nothing to do. */
static enum cetane_status find_grid(const struct cetane_rt_record *r,
	const struct cetane_rt_kernel *k, const int64_t *size,
	unsigned grid[3])
{
	int64_t n0, n1;

	if (!evaluate(&k->n[0], r->n_size, size, &n0) ||
		!evaluate(&k->n[1], r->n_size, size, &n1) ||
		n0 > INT32_MAX || n1 > INT32_MAX)
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"%s: too many tiles for a grid", k->name);
	if (n0 <= 0 || n1 <= 0)
		n0 = n1 = 0;
	grid[0] = (unsigned) n1;
	grid[1] = (unsigned) (n0 < GRID_Y ? n0 : GRID_Y);
	grid[2] = (unsigned) ((n0 + GRID_Y - 1) / GRID_Y);
	return CETANE_OK;
}

static enum cetane_status launch(const struct cetane_rt_record *r,
	const struct cetane_rt_kernel *k, struct cetane_function *fn,
	const int64_t *size, const cetane_ptr *array,
	struct cetane_stream *stream)
{
	const unsigned block[3] = { (unsigned) k->thread[1],
				    (unsigned) k->thread[0], 1 };
	void *args[k->n_arg + 1];
	unsigned grid[3];
	enum cetane_status s = find_grid(r, k, size, grid);
	int i;

	if (s != CETANE_OK)
		return s;
	for (i = 0; i < k->n_arg; i++)
		args[i] = k->arg[i].is_size ?
			(void *) (uintptr_t) &size[k->arg[i].index] :
			(void *) (uintptr_t) &array[k->arg[i].index];
	args[i] = NULL;
	return cetane_launch(fn, grid, block, (unsigned) k->shared_bytes,
		stream, args);
}

enum cetane_status cetane_rt_record_launch(const struct cetane_rt_record *r,
	struct cetane_function *const *fn, const int64_t *size,
	const cetane_ptr *array, struct cetane_stream *stream)
{
	enum cetane_status s = CETANE_OK;
	unsigned grid[3];
	int i;

	for (i = 0; i < r->n_kernel && s == CETANE_OK; i++)
		s = find_grid(r, &r->kernel[i], size, grid);
	for (i = 0; i < r->n_kernel && s == CETANE_OK; i++)
		s = launch(r, &r->kernel[i], fn[i], size, array, stream);
	return s;
}

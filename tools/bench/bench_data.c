/* The data of benchmarks: numbers of a normal distribution, the same for all
 * sides of a row. Zeros or small integers would draw less power and run
 * faster.
 *
 * There is one pool of them, of a prime length, on the host and on the device.
 * Input "array" is the pool from a place of its own on, over and over. So the
 * host knows every element, and arrays of gigabytes are made by copies on the
 * device. No two rows of a matrix are equal: that would take a row length
 * that the prime divides.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/bench/bench.h"

/* Primes; an array begins ARRAY_STEP further than the one before. */
static const int64_t POOL = 1048573, ARRAY_STEP = 1000003;

/* A pair of independent numbers by Box and Muller. */
static void normal_pair(uint64_t seed, uint64_t i, float *a, float *b)
{
	double u = (double)((tool_random_bits(seed, 2 * i) >> 11) + 1) *
		0x1p-53;
	double v = (double)(tool_random_bits(seed, 2 * i + 1) >> 11) * 0x1p-53;
	double r = sqrt(-2 * log(u)), angle = 2 * acos(-1) * v;

	*a = (float)(r * cos(angle));
	*b = (float)(r * sin(angle));
}

/* An array of "size" bytes on the device, a copy of "data" when it returns;
 * "*ptr" is 0 if there is no memory, else the caller frees it.
 */
static enum tool_exit upload(struct tool_cuda *g, uint64_t *ptr,
	const void *data, size_t size)
{
	enum tool_exit status = tool_cuda_judge(g, "cuMemAlloc",
		g->mem_alloc(ptr, size));

	if (status != TOOL_OK) {
		*ptr = 0;
		return status;
	}
	status = tool_cuda_judge(g, "cuMemcpyHtoDAsync",
		g->copy_to(*ptr, data, size, g->handle));
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuStreamSynchronize",
			g->stream_synchronize(g->handle));
	return status;
}

enum tool_exit tool_bench_data_make(struct tool_bench_data *d, uint64_t seed)
{
	size_t n = (size_t)POOL, i;


	*d = (struct tool_bench_data){ .seed = seed, .n = POOL,
		.user = d->user };
	d->value = malloc((n + 1) * sizeof(*d->value));
	if (!d->value)
		return tool_no_memory("the inputs");
	for (i = 0; i < n; i += 2)
		normal_pair(seed, i, &d->value[i], &d->value[i + 1]);
	return TOOL_OK;
}

/* Make the pool of the device for elements of type "type", unless it is there. */
static enum tool_exit make_pool(struct tool_bench_data *d, struct tool_cuda *g,
	enum poly_type type)
{
	size_t size = (size_t)poly_type_size(type);
	enum tool_exit status;
	void *pool;

	if (d->ptr[type])
		return TOOL_OK;
	pool = malloc((size_t)d->n * size);
	if (!pool)
		return tool_no_memory("the inputs");
	for (int64_t i = 0; i < d->n; i++)
		tool_set(type, pool, i, d->value[i]);
	status = upload(g, &d->ptr[type], pool, (size_t)d->n * size);
	free(pool);
	return status;
}

void tool_bench_data_free(struct tool_bench_data *d, struct tool_cuda *g)
{
	int i;

	for (i = 0; i < POLY_N_TYPE; i++)
		if (d->ptr[i])
			g->mem_free(d->ptr[i]);
	free(d->value);
	*d = (struct tool_bench_data){ 0 };
}

double tool_bench_element(const struct tool_bench_data *d, int array,
	int64_t i)
{
	return d->value[(array * ARRAY_STEP + i) % d->n];
}

enum tool_exit tool_bench_fill(struct tool_bench_data *d, struct tool_cuda *g,
	int array, enum poly_type type, uint64_t ptr, int64_t count)
{
	enum tool_exit status = make_pool(d, g, type);
	int64_t at = array * ARRAY_STEP % d->n, done = 0, n;
	uint64_t size = (uint64_t)poly_type_size(type);

	for (; done < count && status == TOOL_OK; done += n) {
		n = d->n - at < count - done ? d->n - at : count - done;
		status = tool_cuda_judge(g, "cuMemcpyDtoDAsync",
			g->copy(ptr + (uint64_t)done * size,
				d->ptr[type] + (uint64_t)at * size,
				(size_t)n * size, g->handle));
		at = 0;
	}
	return status;
}

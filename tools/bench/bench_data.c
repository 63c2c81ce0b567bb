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

enum tool_exit tool_bench_data_make(struct tool_bench_data *d,
	struct tool_cuda *g, uint64_t seed)
{
	size_t n = (size_t)POOL;
	double *wide = malloc(n * sizeof(*wide));
	enum tool_exit status = TOOL_ENVIRONMENT;
	size_t i;

	*d = (struct tool_bench_data){ .seed = seed, .n = POOL,
		.user = d->user };
	d->value = malloc((n + 1) * sizeof(*d->value));
	if (!d->value || !wide)
		status = tool_no_memory("the inputs");
	for (i = 0; d->value && i < n; i += 2)
		normal_pair(seed, i, &d->value[i], &d->value[i + 1]);
	for (i = 0; d->value && wide && i < n; i++)
		wide[i] = d->value[i];
	if (d->value && wide)
		status = upload(g, &d->ptr[0], d->value,
			n * sizeof(*d->value));
	if (status == TOOL_OK)
		status = upload(g, &d->ptr[1], wide, n * sizeof(*wide));
	free(wide);
	return status;
}

void tool_bench_data_free(struct tool_bench_data *d, struct tool_cuda *g)
{
	int i;

	for (i = 0; i < 2; i++)
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

enum tool_exit tool_bench_fill(const struct tool_bench_data *d,
	struct tool_cuda *g, int array, bool is_f64, uint64_t ptr,
	int64_t count)
{
	enum tool_exit status = TOOL_OK;
	int64_t at = array * ARRAY_STEP % d->n, done = 0, n;
	uint64_t size = is_f64 ? 8 : 4;

	for (; done < count && status == TOOL_OK; done += n) {
		n = d->n - at < count - done ? d->n - at : count - done;
		status = tool_cuda_judge(g, "cuMemcpyDtoDAsync",
			g->copy(ptr + (uint64_t)done * size,
				d->ptr[is_f64] + (uint64_t)at * size,
				(size_t)n * size, g->handle));
		at = 0;
	}
	return status;
}

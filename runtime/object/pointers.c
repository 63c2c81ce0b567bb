/* What a caller hands over: are its arrays and the workspace memory, aligned, and apart
 * from one another?
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/object/call.h"
#include "runtime/cuda/cuda.h"
#include "runtime/program.h"

/* What one pointer of the caller refers to. */
struct range {
	const char *name;
	uintptr_t at;
	int64_t bytes;
	bool written;
	const struct cetane_program_layout *layout;	/* or NULL */
	/* if it may have gaps: of each dimension, strides in bytes */
	int n_dim, elem_bytes;
	int64_t extent[CETANE_RT_MAX_DIM], stride[CETANE_RT_MAX_DIM];
};

/* Can "g" be memory: is it given, aligned, and within the addresses? */
static enum cetane_status check_range(const char *program,
	const struct range *g, int align)
{
	if (g->bytes && !g->at)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s is NULL, "
			"it needs %lld bytes", program, g->name,
			(long long) g->bytes);
	if (g->at % (uintptr_t) align)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s is not "
			"aligned to %d bytes", program, g->name, align);
	if (g->bytes && g->at + (uint64_t) g->bytes - 1 < g->at)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s ends "
			"behind the last address", program, g->name);
	return CETANE_OK;
}

/* All of "g" was allocated on "dev": memory that is mapped piece by piece is
 * known piece by piece.
 */
static enum cetane_status check_allocated(const char *program,
	struct cetane_device *dev, const struct range *g)
{
	uint64_t known = 0;
	size_t rest;

	while (known < (uint64_t) g->bytes) {
		enum cetane_status s = dev->ops->mem_rest(dev, g->at + known,
			&rest);

		if (s == CETANE_INVALID_ADDRESS && known)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s "
				"has %llu bytes, it needs %lld", program,
				g->name, (unsigned long long) known,
				(long long) g->bytes);
		if (s == CETANE_INVALID_ADDRESS)
			return cetane_rt_fail(s, "%s: %s is not in memory that "
				"was allocated on the device", program,
				g->name);
		if (s != CETANE_OK)
			return s;
		known += rest;
	}
	return CETANE_OK;
}

/* How far "g" reaches from its first element along the dimensions whose stride is less
 * than "period" bytes, in bytes; 0 if it has another stride that is no multiple of that.
 */
static int64_t reach(const struct range *g, int64_t period)
{
	int64_t n = g->elem_bytes;

	for (int d = 0; d < g->n_dim; d++)
		if (g->extent[d] > 1 && g->stride[d] < period)
			n += (g->extent[d] - 1) * g->stride[d];
		else if (g->extent[d] > 1 && g->stride[d] % period)
			return 0;
	return n;
}

/* Does "b" lie in gaps of "a"? Columns of one matrix do: what they have in each period of
 * bytes lies side by side.
 */
static bool in_gaps(const struct range *a, const struct range *b)
{
	for (int d = 0; d < a->n_dim && b->n_dim; d++) {
		int64_t period = a->stride[d], of_a, of_b;
		uint64_t behind;

		of_a = period > 0 ? reach(a, period) : 0;
		of_b = period > 0 ? reach(b, period) : 0;
		if (!of_a || !of_b)
			continue;
		behind = b->at >= a->at ? (b->at - a->at) % (uint64_t) period :
			((uint64_t) period - (a->at - b->at) %
			(uint64_t) period) % (uint64_t) period;
		if (behind >= (uint64_t) of_a &&
			behind + (uint64_t) of_b <= (uint64_t) period)
			return true;
	}
	return false;
}

/* Do the ranges have a byte in common? Members of the same structures lie
 * between one another.
 */
static bool overlap(const struct range *a, const struct range *b)
{
	if (a->layout && b->layout && a->layout->of == b->layout->of)
		return false;
	if (in_gaps(a, b))
		return false;
	return a->bytes && b->bytes && a->at < b->at + (uint64_t) b->bytes &&
		b->at < a->at + (uint64_t) a->bytes;
}

/* The range of members "a" of structures is that of the structures. */
static void widen(struct range *g, int64_t elem_bytes,
	const struct cetane_program_layout *l)
{
	if (!l->pitch)
		return;
	g->bytes = g->bytes / elem_bytes / l->n * l->pitch;
	g->layout = l;
}

/* How array "i" lies in its range "g", if it may have gaps; there is memory for it. */
static void find_gaps(const struct cetane_rt_record *r, int i,
	const int64_t *size, struct range *g)
{
	const struct cetane_rt_array *a = &r->array[i];

	if (cetane_rt_record_first_stride(r, i) < 0 || !g->bytes)
		return;
	g->n_dim = a->n_dim;
	g->elem_bytes = a->elem_bytes;
	cetane_rt_record_extents(r, i, size, g->extent);
	cetane_rt_record_strides(r, i, size, g->extent, g->stride);
	for (int d = 0; d < g->n_dim; d++)
		g->stride[d] *= a->elem_bytes;
}

/* Fill "g" with the ranges of the arrays in order and that of the workspace;
 * returns their number in "*n".
 */
static enum cetane_status collect(const struct cetane_rt_record *r,
	const int64_t *size, void *const *array, void *workspace,
	int64_t total, const struct cetane_program_layout *layout,
	struct range *g, int *n)
{
	enum cetane_status s = CETANE_OK;
	int i;

	*n = 0;
	for (i = 0; i < r->n_array && s == CETANE_OK; i++) {
		const struct cetane_rt_array *a = &r->array[i];
		struct range *one = &g[*n];

		if (a->role == CETANE_RT_TEMP)
			continue;
		*one = (struct range) { .name = a->name,
			.at = (uintptr_t) array[*n],
			.written = a->role != CETANE_RT_INPUT };
		s = cetane_rt_record_bytes(r, i, size, &one->bytes);
		if (s == CETANE_OK)
			find_gaps(r, i, size, one);
		if (s == CETANE_OK && layout)
			widen(one, a->elem_bytes, &layout[*n]);
		if (s == CETANE_OK)
			s = check_range(r->program, one, a->align &&
				!r->n_version ? a->align : a->elem_bytes);
		++*n;
	}
	g[*n] = (struct range) { .name = "the workspace",
		.at = (uintptr_t) workspace, .bytes = total, .written = true };
	if (s == CETANE_OK)
		s = check_range(r->program, &g[*n], CETANE_RT_WORK_ALIGN);
	++*n;
	return s;
}

/* None of the "n" ranges that is written overlaps another. */
static enum cetane_status check_overlaps(const char *program,
	const struct range *g, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if ((g[i].written || g[k].written) &&
				overlap(&g[i], &g[k]))
				return cetane_rt_fail(CETANE_INVALID_VALUE,
					"%s: %s and %s overlap", program,
					g[k].name, g[i].name);
	return CETANE_OK;
}

enum cetane_status cetane_rt_check_pointers(const struct cetane_rt_record *r,
	struct cetane_device *dev, const int64_t *size, void *const *array,
	void *workspace, int64_t total,
	const struct cetane_program_layout *layout)
{
	struct range *g = malloc((r->n_array + 1) * sizeof(*g));
	enum cetane_status s;
	int n;

	if (!g)
		return cetane_rt_no_memory();
	s = collect(r, size, array, workspace, total, layout, g, &n);
	if (s == CETANE_OK)
		s = check_overlaps(r->program, g, n);
	for (int i = 0; dev && i < n && s == CETANE_OK; i++)
		s = check_allocated(r->program, dev, &g[i]);
	free(g);
	return s;
}

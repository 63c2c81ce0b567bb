/* Strides: how far apart the elements of an array lie that are neighbours along a
 * dimension. Of the last dimension that is 1; those of the others are sizes that go with
 * the array, one behind the other, or follow from its extents.
 */
#include <string.h>
#include "runtime/image/image.h"

int cetane_rt_record_plain(const struct cetane_rt_record *r)
{
	int n = r->n_size;

	while (n > 0 && r->size[n - 1].stride_of)
		n--;
	return n;
}

int cetane_rt_record_first_stride(const struct cetane_rt_record *r, int i)
{
	for (int k = cetane_rt_record_plain(r); k < r->n_size; k++)
		if (r->size[k].stride_of == i + 1)
			return k;
	return -1;
}

/* "n" times "by", or what no memory has. */
static int64_t times(int64_t n, int64_t by)
{
	by = by < 1 ? 1 : by;
	return n > INT64_MAX / by ? INT64_MAX : n * by;
}

void cetane_rt_record_strides(const struct cetane_rt_record *r, int i,
	const int64_t *size, const int64_t *extent, int64_t *stride)
{
	int k = cetane_rt_record_first_stride(r, i), n = r->array[i].n_dim;

	for (int d = n - 1; d >= 0; d--)
		stride[d] = d == n - 1 ? 1 : k >= 0 ? size[k + d] :
			times(stride[d + 1], extent[d + 1]);
}

bool cetane_rt_record_extents(const struct cetane_rt_record *r, int i,
	const int64_t *size, int64_t *extent)
{
	const struct cetane_rt_array *a = &r->array[i];
	bool ok = true;

	for (int d = 0; d < a->n_dim; d++)
		if (!cetane_rt_formula_value(&a->extent[d], size, NULL,
			&extent[d])) {
			extent[d] = -1;
			ok = false;
		}
	return ok;
}

/* How many sizes from "k" on belong to the array of size "k". */
static int count_strides(const struct cetane_rt_record *r, int k)
{
	int n = 0;

	while (k + n < r->n_size &&
		r->size[k + n].stride_of == r->size[k].stride_of)
		n++;
	return n;
}

bool cetane_rt_record_has_strides(const struct cetane_rt_record *r)
{
	int k = cetane_rt_record_plain(r);

	for (int i = 0; i < k; i++)
		if (r->size[i].stride_of)
			return false;
	while (k < r->n_size) {
		int i = r->size[k].stride_of - 1, n = count_strides(r, k);

		if (i >= r->n_array || r->array[i].role == CETANE_RT_TEMP ||
			n != r->array[i].n_dim - 1 ||
			cetane_rt_record_first_stride(r, i) != k)
			return false;
		for (; n > 0; n--)
			if (r->size[k++].fixed)
				return false;
	}
	return true;
}

/* The dimension of the shortest stride of those that are not "done", or -1; the last one
 * has none.
 */
static int shortest(const int64_t *extent, const int64_t *stride, int n,
	const bool *done)
{
	int least = -1;

	for (int d = 0; d < n - 1; d++)
		if (!done[d] && extent[d] > 1 &&
			(least < 0 || stride[d] < stride[least]))
			least = d;
	return least;
}

/* Has each index an element of its own? It does if each stride passes all that shorter
 * ones reach.
 */
static bool are_apart(const int64_t *extent, const int64_t *stride, int n)
{
	bool done[CETANE_RT_MAX_DIM] = { false };
	int64_t reach = extent[n - 1];

	for (int d = 0; d < n; d++)
		if (extent[d] < 1)
			return true;
	for (int d; (d = shortest(extent, stride, n, done)) >= 0; done[d] = true) {
		int64_t more = times(stride[d], extent[d] - 1);

		if (stride[d] < reach)
			return false;
		reach = more > INT64_MAX - reach ? INT64_MAX : reach + more;
	}
	return true;
}

/* Check the strides of array "i". Kernels compute with 32 bits of the last one, the
 * pitch of rows.
 */
static enum cetane_status check_strides(const struct cetane_rt_record *r, int i,
	const int64_t *extent, const int64_t *stride)
{
	const struct cetane_rt_array *a = &r->array[i];
	int n = a->n_dim;
	int64_t row = extent[n - 1] < 0 ? 0 : extent[n - 1];
	int64_t pitch = stride[n - 2];

	if (pitch < row || pitch > INT32_MAX)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the pitch of %s "
			"is %lld, not from %lld, the elements of a row, to "
			"2147483647", r->program, a->name, (long long) pitch,
			(long long) row);
	for (int d = 0; d < n - 2; d++)
		if (stride[d] < row)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: stride "
				"%d of %s is %lld, less than %lld, the elements "
				"of a row", r->program, d, a->name,
				(long long) stride[d], (long long) row);
	if (!are_apart(extent, stride, n))
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: elements of %s "
			"overlap: a stride is less than what shorter ones reach",
			r->program, a->name);
	return CETANE_OK;
}

/* The strides of array "i" among the sizes "all", "given" or, where they are negative,
 * without gaps.
 */
static enum cetane_status find_strides(const struct cetane_rt_record *r, int i,
	const int64_t *given, int64_t *all)
{
	const struct cetane_rt_array *a = &r->array[i];
	int64_t extent[CETANE_RT_MAX_DIM], stride[CETANE_RT_MAX_DIM];
	int n = a->n_dim;

	if (!cetane_rt_record_extents(r, i, all, extent) ||
		extent[n - 1] > INT32_MAX)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s is too "
			"large for any memory", r->program, a->name);
	stride[n - 1] = 1;
	for (int d = n - 2; d >= 0; d--)
		stride[d] = given && given[d] >= 0 ? given[d] :
			times(stride[d + 1], extent[d + 1]);
	memcpy(&all[cetane_rt_record_first_stride(r, i)], stride,
		(size_t) (n - 1) * sizeof(*stride));
	return given ? check_strides(r, i, extent, stride) : CETANE_OK;
}

enum cetane_status cetane_rt_record_sizes(const struct cetane_rt_record *r,
	const int64_t *plain, const int64_t *stride, int64_t *all)
{
	enum cetane_status s = cetane_rt_record_check(r, plain);
	int n_plain = cetane_rt_record_plain(r);

	memmove(all, plain, (size_t) n_plain * sizeof(*all));
	for (int i = 0; i < r->n_array && s == CETANE_OK; i++) {
		bool has = cetane_rt_record_first_stride(r, i) >= 0;

		if (has)
			s = find_strides(r, i, stride, all);
		if (stride && r->array[i].role != CETANE_RT_TEMP)
			stride += has ? r->array[i].n_dim - 1 : 1;
	}
	return s;
}

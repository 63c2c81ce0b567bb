/* Pitches: how far apart the rows of an array lie, a size that goes with the array. */
#include <string.h>
#include "runtime/image/image.h"

int cetane_rt_record_plain(const struct cetane_rt_record *r)
{
	int n = r->n_size;

	while (n > 0 && r->size[n - 1].pitch)
		n--;
	return n;
}

int cetane_rt_record_pitch(const struct cetane_rt_record *r, int i)
{
	int k = r->n_size - 1;

	for (; k >= 0 && r->size[k].pitch; k--)
		if (r->size[k].pitch == i + 1)
			return k;
	return -1;
}

int64_t cetane_rt_record_row(const struct cetane_rt_record *r, int i,
	const int64_t *size, int64_t row)
{
	int k = cetane_rt_record_pitch(r, i);

	return k >= 0 ? size[k] : row;
}

bool cetane_rt_record_pitches(const struct cetane_rt_record *r)
{
	for (int k = 0; k < r->n_size; k++) {
		int i = r->size[k].pitch - 1;

		if (k < cetane_rt_record_plain(r) ? i >= 0 :
			i >= r->n_array || r->size[k].fixed ||
			r->array[i].role == CETANE_RT_TEMP ||
			r->array[i].n_dim < 2 || cetane_rt_record_pitch(r, i) != k)
			return false;
	}
	return true;
}

/* The pitch of array "i", "given" or, if that is negative, the length of its rows. */
static enum cetane_status find_row(const struct cetane_rt_record *r, int i,
	const int64_t *plain, int64_t given, int64_t *pitch)
{
	const struct cetane_rt_array *a = &r->array[i];
	int64_t row;

	if (!cetane_rt_formula_value(&a->extent[a->n_dim - 1], plain, NULL, &row) ||
		row > INT32_MAX)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s is too "
			"large for any memory", r->program, a->name);
	row = row < 0 ? 0 : row;
	*pitch = given < 0 ? row : given;
	if (*pitch >= row && *pitch <= INT32_MAX)
		return CETANE_OK;
	return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the pitch of %s is %lld, "
		"not from %lld, the elements of a row, to 2147483647",
		r->program, a->name, (long long) *pitch, (long long) row);
}

enum cetane_status cetane_rt_record_sizes(const struct cetane_rt_record *r,
	const int64_t *plain, const int64_t *pitch, int64_t *all)
{
	enum cetane_status s = cetane_rt_record_check(r, plain);
	int n = 0, n_plain = cetane_rt_record_plain(r);

	memmove(all, plain, (size_t) n_plain * sizeof(*all));
	for (int i = 0; i < r->n_array && s == CETANE_OK; i++) {
		int k = cetane_rt_record_pitch(r, i);

		if (r->array[i].role == CETANE_RT_TEMP)
			continue;
		if (k >= 0)
			s = find_row(r, i, plain, pitch ? pitch[n] : -1, &all[k]);
		n++;
	}
	return s;
}

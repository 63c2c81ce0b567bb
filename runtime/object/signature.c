/* What a program takes: its sizes and arrays, and the sizes that belong to arrays of
 * given shapes.
 *
 * An extent is a formula of sizes. One of additions and products in which a single
 * size is not known yet gives that size: 2 * N + 1 is 7 for N = 3. This is repeated
 * until nothing new follows; then all extents are compared with what the sizes make
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include "runtime/image/image.h"
#include "runtime/program.h"

/* "record" is that of the first image; "place" is the number in it of each array
 * that is no temporary.
 */
struct listed {
	struct cetane_signature s;
	struct cetane_rt_record *record;
	int *place;
};

/* ------------------------------------------------------------------- reading */

static int32_t role_of(enum cetane_rt_role role)
{
	return role == CETANE_RT_INPUT ? CETANE_INPUT :
		role == CETANE_RT_OUTPUT ? CETANE_OUTPUT : CETANE_INOUT;
}

/* The arrays of the record "r" that are no temporaries; at "array" unless that is
 * NULL, with their numbers at "place". Returns how many there are.
 */
static int list_arrays(const struct cetane_rt_record *r,
	struct cetane_signature_array *array, int *place)
{
	int i, n = 0;

	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->role == CETANE_RT_TEMP)
			continue;
		if (array) {
			place[n] = i;
			array[n] = (struct cetane_signature_array) { a->name,
				a->type, role_of(a->role), a->n_dim,
				a->elem_bytes, a->elem_bytes };
		}
		n++;
	}
	return n;
}

/* Fill "k" with what its record says. */
static enum cetane_status list_all(struct listed *k)
{
	const struct cetane_rt_record *r = k->record;
	struct cetane_signature_size *size =
		calloc(cetane_rt_record_plain(r) + 1, sizeof(*size));
	struct cetane_signature_array *array;
	int i;

	k->s.name = r->program;
	k->s.size = size;
	k->s.array = array = calloc(r->n_array + 1, sizeof(*array));
	k->place = calloc(r->n_array + 1, sizeof(*k->place));
	if (!size || !array || !k->place)
		return cetane_rt_no_memory();
	k->s.n_size = cetane_rt_record_plain(r);
	for (i = 0; i < k->s.n_size; i++)
		size[i] = (struct cetane_signature_size) { r->size[i].name,
			r->size[i].fixed, r->size[i].value };
	k->s.n_array = list_arrays(r, array, k->place);
	return CETANE_OK;
}

/* Let the arrays at "array", "n" of them, be aligned as image "i" of "p" needs them.
 */
static enum cetane_status align(const struct cetane_program *p, int i,
	struct cetane_signature_array *array, int n)
{
	struct cetane_rt_image image;
	struct cetane_rt_record *r;
	enum cetane_status s;
	int j, m = 0;

	s = cetane_rt_image_get(p->container, p->size, i, &image);
	if (s == CETANE_OK)
		s = cetane_rt_record_read(&image, &r);
	if (s != CETANE_OK)
		return s;
	for (j = 0; j < r->n_array; j++) {
		if (r->array[j].role == CETANE_RT_TEMP || m == n)
			continue;
		if (!r->n_version && r->array[j].align > array[m].align)
			array[m].align = r->array[j].align;
		m++;
	}
	cetane_rt_record_free(r);
	return CETANE_OK;
}

/* Fill "k" for "p", aligned as every image needs it. */
static enum cetane_status list_program(const struct cetane_program *p, struct listed *k)
{
	struct cetane_rt_image image;
	enum cetane_status s;
	int i, n = 0;

	if (p->abi != CETANE_RT_ABI)
		return cetane_rt_fail(CETANE_BAD_CONTAINER, "the object is of "
			"ABI %u, this library knows ABI %d",
			(unsigned) p->abi, CETANE_RT_ABI);
	s = cetane_rt_image_count(p->container, p->size, &n);
	if (s == CETANE_OK && !n)
		return cetane_rt_fail(CETANE_NO_IMAGE,
			"the program has no images");
	if (s == CETANE_OK)
		s = cetane_rt_image_get(p->container, p->size, 0, &image);
	if (s == CETANE_OK)
		s = cetane_rt_record_read(&image, &k->record);
	if (s == CETANE_OK)
		s = list_all(k);
	for (i = 0; i < n && s == CETANE_OK; i++)
		s = align(p, i, (struct cetane_signature_array *) k->s.array,
			k->s.n_array);
	return s;
}

enum cetane_status cetane_signature_read(const struct cetane_program *p,
	struct cetane_signature **result)
{
	struct listed *k = calloc(1, sizeof(*k));
	enum cetane_status s = k ? list_program(p, k) : cetane_rt_no_memory();

	if (s == CETANE_OK)
		*result = &k->s;
	else if (k)
		cetane_signature_free(&k->s);
	return s;
}

void cetane_signature_free(struct cetane_signature *s)
{
	struct listed *k = (struct listed *) s;

	if (!k)
		return;
	cetane_rt_record_free(k->record);
	free((void *) k->s.size);
	free((void *) k->s.array);
	free(k->place);
	free(k);
}

/* ------------------------------------------------------------------- extents */

/* What the record says of array number "i" of the signature. */
static const struct cetane_rt_array *array_of(const struct cetane_signature *s,
	int i)
{
	const struct listed *k = (const struct listed *) s;

	return &k->record->array[k->place[i]];
}

/* The extent of "a" in dimension "d", 0 if it is negative. */
static enum cetane_status extent_of(const struct cetane_signature *s,
	const struct cetane_rt_array *a, int d, const int64_t *size,
	int64_t *extent)
{
	if (!cetane_rt_formula_value(&a->extent[d], size, NULL, extent))
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s is too "
			"large for any memory", s->name, a->name);
	if (*extent < 0)
		*extent = 0;
	return CETANE_OK;
}

enum cetane_status cetane_signature_extents(const struct cetane_signature *s,
	int array, const int64_t *size, int64_t *extent)
{
	const struct listed *k = (const struct listed *) s;
	enum cetane_status status = cetane_rt_record_check(k->record, size);
	int d;

	if (array < 0 || array >= s->n_array)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "%s has no array "
			"number %d", s->name, array);
	for (d = 0; d < s->array[array].n_dim && status == CETANE_OK; d++)
		status = extent_of(s, array_of(s, array), d, size, &extent[d]);
	return status;
}

int32_t cetane_signature_strides(const struct cetane_signature *s, int32_t array)
{
	const struct listed *k = (const struct listed *) s;

	return array >= 0 && array < s->n_array && cetane_rt_record_first_stride(
		k->record, k->place[array]) >= 0 ? s->array[array].n_dim - 1 : 0;
}

/* ------------------------------------------------------------------- solving */

/* The number of the only size of "f" that is not known, or -1; -1, too, if "f" has
 * more than additions and products.
 */
static int only_unknown(const struct cetane_rt_formula *f, const int64_t *size)
{
	int i, found = -1;

	for (i = 0; i < f->n; i++) {
		const struct cetane_rt_op *op = &f->op[i];

		if (op->code > CETANE_RT_MUL || op->code == CETANE_RT_ITER)
			return -1;
		if (op->code != CETANE_RT_SIZE || size[op->value] >= 0 ||
			op->value == found)
			continue;
		if (found >= 0)
			return -1;
		found = (int) op->value;
	}
	return found;
}

/* Solve "f" = "extent" for size "i", which "f" has once as a factor at most: true if
 * it has a value then.
 */
static bool solve_one(const struct cetane_rt_formula *f, int64_t extent, int i,
	int64_t *size)
{
	int64_t at[3], by, rest;
	bool ok = true;
	int k;

	for (k = 0; k < 3 && ok; k++) {
		size[i] = k;
		ok = cetane_rt_formula_value(f, size, NULL, &at[k]);
	}
	size[i] = -1;
	ok = ok && !__builtin_sub_overflow(at[1], at[0], &by) && by > 0 &&
		at[2] - at[1] == by &&
		!__builtin_sub_overflow(extent, at[0], &rest) && rest >= 0 &&
		rest % by == 0;
	if (ok)
		size[i] = rest / by;
	return ok;
}

/* Find what follows from the extents of one array; true if there was something. */
static bool solve_array(const struct cetane_rt_array *a, const int64_t *extent,
	int64_t *size)
{
	bool more = false;
	int d, i;

	for (d = 0; d < a->n_dim; d++) {
		i = only_unknown(&a->extent[d], size);
		if (i >= 0 && solve_one(&a->extent[d], extent[d], i, size))
			more = true;
	}
	return more;
}

/* Tell which extent of "a" is wrong, with the sizes that it depends on. */
static enum cetane_status wrong(const struct cetane_signature *s,
	const struct cetane_rt_array *a, int d, int64_t is, int64_t must,
	const int64_t *size)
{
	const struct cetane_rt_formula *f = &a->extent[d];
	char where[256] = "";
	size_t n = 0;
	int i, k;

	for (i = 0; i < s->n_size; i++) {
		for (k = 0; k < f->n && !(f->op[k].code == CETANE_RT_SIZE &&
				f->op[k].value == i); k++)
			;
		if (k < f->n && n < sizeof(where))
			n += (size_t) snprintf(where + n, sizeof(where) - n,
				"%s%s = %lld", n ? ", " : " where ",
				s->size[i].name, (long long) size[i]);
	}
	return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: dimension %d of %s has "
		"extent %lld, it must be %lld%s", s->name, d, a->name,
		(long long) is, (long long) must, where);
}

/* Compare the extents of array number "array" with what the sizes make them. */
static enum cetane_status compare(const struct cetane_signature *s, int array,
	const int64_t *extent, const int64_t *size)
{
	const struct cetane_rt_array *a = array_of(s, array);
	enum cetane_status status = CETANE_OK;
	int64_t must;
	int d;

	for (d = 0; d < a->n_dim && status == CETANE_OK; d++) {
		status = extent_of(s, a, d, size, &must);
		if (status == CETANE_OK && extent[d] != must)
			return wrong(s, a, d, extent[d], must, size);
	}
	return status;
}

enum cetane_status cetane_signature_solve(const struct cetane_signature *s,
	const int64_t *const *extent, int64_t *size)
{
	const struct listed *k = (const struct listed *) s;
	enum cetane_status status;
	bool more;
	int i;

	for (i = 0; i < s->n_size; i++)
		if (size[i] < 0 && s->size[i].fixed)
			size[i] = s->size[i].value;
	do {
		more = false;
		for (i = 0; i < s->n_array; i++)
			if (extent[i] && solve_array(array_of(s, i), extent[i],
					size))
				more = true;
	} while (more);
	for (i = 0; i < s->n_size; i++)
		if (size[i] < 0)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the "
				"size %s does not follow from the shapes of "
				"the arrays; give it, as in %s=8", s->name,
				s->size[i].name, s->size[i].name);
	status = cetane_rt_record_check(k->record, size);
	for (i = 0; i < s->n_array && status == CETANE_OK; i++)
		if (extent[i])
			status = compare(s, i, extent[i], size);
	return status;
}

/* Run a program on inputs that are made up, and compare its outputs with samples.
 *
 * The samples were evaluated from the text when the program was compiled, by what shares
 * nothing with the code that runs here. program.h says how they lie in the object.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/convert.h"
#include "runtime/object/call.h"

/* The bytes of outputs before the program runs, and of gaps between rows; how many
 * elements these have.
 */
enum { UNWRITTEN = 0xff, APART = 3 };

/* A self-test that runs. "word" is what is left of its numbers. "size" are the sizes of
 * the case. Of each array of the record,
 * "at" is the address, "host" what it holds here or NULL, "n" the number of its elements,
 * which lie as "extent" and "stride" say, "sample" those that are known.
 */
struct test {
	struct cetane_rt_entered e;
	const int64_t *word, *end;
	int64_t *size;
	bool apart;		/* elements lie apart where they can */
	cetane_ptr *at, work;
	void **host;
	int64_t *n, (*extent)[CETANE_RT_MAX_DIM], (*stride)[CETANE_RT_MAX_DIM];
	const int64_t **sample;
	int64_t *n_sample;
};

/* The next "n" numbers; NULL if there are not so many. */
static const int64_t *take_words(struct test *t, int64_t n)
{
	const int64_t *at = t->word;

	if (n < 0 || n > t->end - t->word)
		return NULL;
	t->word += n;
	return at;
}

static enum cetane_status bad_test(const struct test *t)
{
	return cetane_rt_fail(CETANE_BAD_CONTAINER, "%s: the samples of the "
		"self-test are damaged", t->e.record->program);
}

/* ------------------------------------------------------------------ arrays */

/* Elements of array "i", and how they lie. */
static enum cetane_status count_elements(struct test *t, int i)
{
	const struct cetane_rt_array *a = &t->e.record->array[i];

	if (!cetane_rt_record_extents(t->e.record, i, t->size, t->extent[i]))
		return bad_test(t);
	t->n[i] = 1;
	for (int d = 0; d < a->n_dim; d++) {
		if (t->extent[i][d] < 0)
			return bad_test(t);
		t->n[i] *= t->extent[i][d];
	}
	cetane_rt_record_strides(t->e.record, i, t->size, t->extent[i],
		t->stride[i]);
	return CETANE_OK;
}

/* Where element "at" of array "i" lies, in elements. */
static int64_t place_of(const struct test *t, int i, int64_t at)
{
	int64_t place = 0;

	for (int d = t->e.record->array[i].n_dim - 1; d >= 0 && at; d--) {
		place += at % t->extent[i][d] * t->stride[i][d];
		at /= t->extent[i][d];
	}
	return place;
}

/* Put the made-up elements of array "i" into its rows. */
static enum cetane_status fill_rows(struct test *t, int i, const int64_t *range)
{
	const struct cetane_rt_array *a = &t->e.record->array[i];
	size_t size = (size_t) a->elem_bytes;
	char *dense = malloc((size_t) t->n[i] * size + 1);

	if (!dense)
		return cetane_rt_no_memory();
	cetane_rt_record_fill(a, i, t->n[i], range[0], range[1], dense);
	for (int64_t at = 0; at < t->n[i]; at++)
		memcpy((char *) t->host[i] + (size_t) place_of(t, i, at) * size,
			dense + (size_t) at * size, size);
	free(dense);
	return CETANE_OK;
}

/* Allocate array "i", and fill what the program reads: "range" has first and last. */
static enum cetane_status make_array(struct test *t, int i, const int64_t *range)
{
	const struct cetane_rt_array *a = &t->e.record->array[i];
	enum cetane_status s;
	int64_t bytes;

	s = cetane_rt_record_bytes(t->e.record, i, t->size, &bytes);
	if (s == CETANE_OK)
		s = count_elements(t, i);
	if (s != CETANE_OK)
		return s;
	t->host[i] = malloc((size_t) bytes + 1);
	if (!t->host[i])
		return cetane_rt_no_memory();
	memset(t->host[i], UNWRITTEN, (size_t) bytes);
	if (a->role != CETANE_RT_OUTPUT)
		s = fill_rows(t, i, range);
	if (s == CETANE_OK)
		s = cetane_malloc(t->e.dev, (size_t) bytes, &t->at[i]);
	return s == CETANE_OK ? cetane_copy_to_device(t->e.dev, t->at[i],
		t->host[i], (size_t) bytes, NULL) : s;
}

/* Add gaps to the strides of array "i", along each dimension. */
static void part(struct test *t, int i)
{
	const struct cetane_rt_record *r = t->e.record;
	int k = cetane_rt_record_first_stride(r, i), n = r->array[i].n_dim;
	int64_t extent[CETANE_RT_MAX_DIM], more = 0;

	if (k < 0 || !cetane_rt_record_extents(r, i, t->size, extent))
		return;
	for (int d = n - 2; d >= 0; d--) {
		more = (d < n - 2 ? more * extent[d + 1] : 0) + APART;
		t->size[k + d] += more;
	}
}

/* The sizes of a case, of which "plain" are no strides: elements lie apart where they can,
 * if that is to be tried.
 */
static enum cetane_status make_sizes(struct test *t, const int64_t *plain)
{
	const struct cetane_rt_record *r = t->e.record;
	enum cetane_status s = cetane_rt_record_sizes(r, plain, NULL, t->size);

	for (int i = 0; t->apart && s == CETANE_OK && i < r->n_array; i++)
		part(t, i);
	return s;
}

/* Read the numbers of one case, and make its arrays. */
static enum cetane_status make_case(struct test *t)
{
	const struct cetane_rt_record *r = t->e.record;
	const int64_t *plain = take_words(t, cetane_rt_record_plain(r));
	enum cetane_status s;
	int64_t total;

	if (!plain)
		return bad_test(t);
	s = make_sizes(t, plain);
	if (s == CETANE_OK)
		s = cetane_rt_record_layout(r, t->size, t->at, &total);
	if (s == CETANE_OK)
		s = cetane_malloc(t->e.dev, (size_t) total, &t->work);
	for (int i = 0; i < r->n_array && s == CETANE_OK; i++) {
		const int64_t *range;

		if (r->array[i].role == CETANE_RT_TEMP) {
			t->at[i] += t->work;
			continue;
		}
		range = take_words(t, 3);
		t->n_sample[i] = range ? range[2] : 0;
		if (!range || range[2] > INT32_MAX)
			return bad_test(t);
		t->sample[i] = take_words(t, 3 * range[2]);
		s = t->sample[i] ? make_array(t, i, range) : bad_test(t);
	}
	return s;
}

/* Free the arrays of a case; "s", or else what fails here. */
static enum cetane_status free_case(struct test *t, enum cetane_status s)
{
	const struct cetane_rt_record *r = t->e.record;
	enum cetane_status one;

	for (int i = 0; i < r->n_array; i++) {
		one = r->array[i].role == CETANE_RT_TEMP ? CETANE_OK :
			cetane_free(t->e.dev, t->at[i]);
		s = s == CETANE_OK ? one : s;
		free(t->host[i]);
		t->host[i] = NULL;
		t->at[i] = 0;
	}
	one = cetane_free(t->e.dev, t->work);
	t->work = 0;
	return s == CETANE_OK ? one : s;
}

/* ----------------------------------------------------------------- comparing */

/* The double that has these bits. */
static double bits_double(int64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* The integer number "i" of "data"; of a u64 its bits. */
static int64_t load_integer(const struct cetane_rt_array *a, const void *data,
	int64_t i)
{
	int unused = 64 - 8 * a->elem_bytes;
	uint64_t bits = 0;

	/* the low bytes come first */
	memcpy(&bits, (const char *) data + i * a->elem_bytes,
		(size_t) a->elem_bytes);
	bits <<= unused;
	return a->type[0] == 'i' ? (int64_t) bits >> unused :
		(int64_t) (bits >> unused);
}

/* Append to "text" where element "at" of array "i" is: "[3][5]". */
static void add_place(const struct test *t, int i, int64_t at, char *text,
	size_t size)
{
	const struct cetane_rt_array *a = &t->e.record->array[i];
	int64_t index[CETANE_RT_MAX_DIM], n;
	size_t used = 0;

	text[0] = '\0';
	for (int d = a->n_dim - 1; d >= 0; d--) {
		if (!cetane_rt_formula_value(&a->extent[d], t->size, NULL, &n) ||
			n < 1)
			n = 1;
		index[d] = at % n;
		at /= n;
	}
	for (int d = 0; d < a->n_dim && used < size; d++)
		used += (size_t) snprintf(text + used, size - used, "[%" PRId64
			"]", index[d]);
}

/* Say that element "at" of array "i" "is" what it should not be. */
static enum cetane_status wrong_value(const struct test *t, int i, int64_t at,
	const char *is)
{
	const struct cetane_rt_record *r = t->e.record;
	char place[200], sizes[400] = "";
	size_t used = 0;

	add_place(t, i, at, place, sizeof(place));
	for (int k = 0; k < r->n_size && used < sizeof(sizes); k++)
		used += (size_t) snprintf(sizes + used, sizeof(sizes) - used,
			"%s%s = %" PRId64, k ? ", " : " where ",
			r->size[k].name, t->size[k]);
	return cetane_rt_fail(CETANE_MISMATCH, "%s: %s%s %s%s", r->program,
		r->array[i].name, place, is, sizes);
}

/* Is the sample "word", of array "i", right? */
static enum cetane_status compare_one(const struct test *t, int i,
	const int64_t *word)
{
	const struct cetane_rt_array *a = &t->e.record->array[i];
	double is, want = bits_double(word[1]), bound = bits_double(word[2]);
	int64_t integer, at;
	char text[120];

	if (word[0] < 0 || word[0] >= t->n[i])
		return bad_test(t);
	at = place_of(t, i, word[0]);
	if (!cetane_rt_record_is_float(a)) {
		integer = load_integer(a, t->host[i], at);
		if (integer == word[1])
			return CETANE_OK;
		snprintf(text, sizeof(text), "is %" PRId64 ", not %" PRId64,
			integer, word[1]);
		return wrong_value(t, i, word[0], text);
	}
	is = cetane_rt_float_load(a->type, t->host[i], at);
	if (is == want || (is != is && want != want) ||
		(is > want ? is - want : want - is) <= bound)
		return CETANE_OK;
	snprintf(text, sizeof(text), "is %.17g, not %.17g, of which it may be "
		"%.3g off", is, want, bound);
	return wrong_value(t, i, word[0], text);
}

/* Is no element at "place" of array "i", whose strides are the longer the further in front?
 * "*at" gets the one in front of it.
 */
static bool is_gap(const struct test *t, int i, int64_t place, int64_t *at)
{
	bool gap = false;

	*at = 0;
	for (int d = 0; d < t->e.record->array[i].n_dim; d++) {
		int64_t last = t->extent[i][d] - 1;
		int64_t index = gap ? last : place / t->stride[i][d];

		gap |= index > last;
		*at = *at * (last + 1) + (gap ? last : index);
		place -= index * t->stride[i][d];
	}
	return gap;
}

/* Is what lies in gaps of array "i", of "bytes" bytes, as it was? */
static enum cetane_status compare_gaps(const struct test *t, int i, int64_t bytes)
{
	const struct cetane_rt_array *a = &t->e.record->array[i];
	const unsigned char *byte = t->host[i];
	int64_t front;

	for (int64_t at = 0; at < bytes; at++)
		if (byte[at] != UNWRITTEN &&
			is_gap(t, i, at / a->elem_bytes, &front))
			return wrong_value(t, i, front, "lies in front of a gap "
				"in which something was written");
	return CETANE_OK;
}

/* Copy the outputs back, and compare their samples. */
static enum cetane_status compare_all(struct test *t)
{
	const struct cetane_rt_record *r = t->e.record;
	enum cetane_status s = CETANE_OK;
	int64_t bytes = 0;

	for (int i = 0; i < r->n_array && s == CETANE_OK; i++) {
		if (r->array[i].role == CETANE_RT_TEMP || !t->n_sample[i])
			continue;
		s = cetane_rt_record_bytes(r, i, t->size, &bytes);
		if (s == CETANE_OK)
			s = cetane_copy_from_device(t->e.dev, t->host[i],
				t->at[i], (size_t) bytes, NULL);
		if (s == CETANE_OK)
			s = cetane_stream_synchronize(t->e.dev, NULL);
		if (s == CETANE_OK)
			s = compare_gaps(t, i, bytes);
		for (int64_t k = 0; k < t->n_sample[i] && s == CETANE_OK; k++)
			s = compare_one(t, i, t->sample[i] + 3 * k);
	}
	return s;
}

/* ----------------------------------------------------------------- the test */

/* Run one case; what it took is free again, also after a failure. */
static enum cetane_status test_case(struct test *t)
{
	enum cetane_status s = make_case(t), waited;

	if (s == CETANE_OK)
		s = cetane_rt_record_launch(t->e.record, t->e.fn, t->size, t->at,
			NULL);
	waited = cetane_stream_synchronize(t->e.dev, NULL);
	s = s == CETANE_OK ? waited : s;
	if (s == CETANE_OK)
		s = compare_all(t);
	return free_case(t, s);
}

/* Run all cases, with room for the arrays of one. */
static enum cetane_status test_all(struct test *t)
{
	size_t n = (size_t) t->e.record->n_array + 1;
	const int64_t *n_case = take_words(t, 1);
	enum cetane_status s = n_case ? CETANE_OK : bad_test(t);

	t->at = calloc(n, sizeof(*t->at));
	t->host = calloc(n, sizeof(*t->host));
	t->n = calloc(n, sizeof(*t->n));
	t->extent = calloc(n, sizeof(*t->extent));
	t->stride = calloc(n, sizeof(*t->stride));
	t->size = calloc((size_t) t->e.record->n_size + 1, sizeof(*t->size));
	t->sample = calloc(n, sizeof(*t->sample));
	t->n_sample = calloc(n, sizeof(*t->n_sample));
	if (!t->at || !t->host || !t->n || !t->extent || !t->stride || !t->size || !t->sample ||
		!t->n_sample)
		s = cetane_rt_no_memory();
	for (int64_t i = 0; s == CETANE_OK && i < *n_case; i++) {
		t->apart = i == 0;
		s = test_case(t);
	}
	free(t->at);
	free(t->host);
	free(t->n);
	free(t->extent);
	free(t->stride);
	free(t->size);
	free(t->sample);
	free(t->n_sample);
	return s;
}

int cetane_program_selftest(struct cetane_program *p, const int64_t *test,
	int64_t n)
{
	struct test t = { .word = test, .end = test + n };
	enum cetane_status s = cetane_rt_program_enter(p, NULL, &t.e);

	if (s != CETANE_OK)
		return s;
	s = test_all(&t);
	cetane_rt_program_exit(&t.e);
	return s;
}

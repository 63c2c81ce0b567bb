/* What the accesses of warps cost, counted lane by lane.
 *
 * An instruction is one vector of each lane of a warp: elements of a thread side by
 * side in memory, from a multiple of the vector's size on, the first of them in the
 * same register of each lane.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"


/* ------------------------------------------------------------ one instruction */

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* Sort "v" and drop what stands there twice; returns the number left. */
static int distinct(int64_t *v, int n)
{
	int k = 0;

	qsort(v, (size_t) n, sizeof(*v), compare);
	for (int i = 0; i < n; i++)
		if (!k || v[i] != v[k - 1])
			v[k++] = v[i];
	return k;
}

/* The fewest parts of "part" bytes that hold the "n" bytes. */
static int parts(int64_t n, int part)
{
	return (int) ((n + part - 1) / part);
}

struct poly_traffic poly_traffic_global(const int64_t *byte, int n, int size)
{
	struct poly_traffic t = { .lanes = n };
	int64_t v[2 * POLY_LANES];

	memcpy(v, byte, (size_t) n * sizeof(*v));
	t.least = parts((int64_t) distinct(v, n) * size, POLY_SECTOR);
	for (int i = 0; i < n; i++) {
		v[2 * i] = byte[i] / POLY_SECTOR;
		v[2 * i + 1] = (byte[i] + size - 1) / POLY_SECTOR;
	}
	t.transactions = distinct(v, 2 * n);
	return t;
}

/* Passes that the words of one part of the warp need. */
static int passes(int64_t *word, int n)
{
	int in_bank[POLY_BANKS] = { 0 }, most = 0;

	n = distinct(word, n);
	for (int i = 0; i < n; i++)
		if (++in_bank[word[i] % POLY_BANKS] > most)
			most = in_bank[word[i] % POLY_BANKS];
	return most;
}

struct poly_traffic poly_traffic_shared(const int64_t *byte, int n, int size)
{
	int words = size > POLY_WORD ? size / POLY_WORD : 1, group = POLY_LANES / words;
	struct poly_traffic t = { .lanes = n };
	int64_t v[POLY_LANES];

	for (int from = 0; from < n; from += group) {
		int lanes = n - from < group ? n - from : group, k = 0;

		for (int i = from; i < from + lanes; i++)
			for (int j = 0; j < words; j++)
				v[k++] = byte[i] / POLY_WORD + j;
		t.transactions += passes(v, k);
		k = distinct(v, k);
		t.least += parts(k, POLY_BANKS);
	}
	return t;
}

/* ----------------------------------------------------------- all instructions */

/* The first element of a vector; its instruction: cluster, warp, register, byte. */
struct vector {
	int instruction[POLY_N_AT];
	int64_t byte;
};

/* Vectors of one instruction stand together. */
static int compare_vectors(const void *a, const void *b)
{
	const struct vector *x = a, *y = b;

	for (int i = 0; i < POLY_N_AT; i++)
		if (x->instruction[i] != y->instruction[i])
			return x->instruction[i] < y->instruction[i] ? -1 : 1;
	return 0;
}

/* Do the "n" bytes, which are sorted then, divide into whole vectors of "size"? */
static bool fill_vectors(int64_t *byte, int n, int element, int size)
{
	n = distinct(byte, n);
	for (int i = 0; i < n; i++) {
		int64_t in = byte[i] % size;

		if (in != i * (int64_t) element % size ||
		    (in && byte[i] != byte[i - 1] + element))
			return false;
	}
	return n * (int64_t) element % size == 0;
}

/* The vectors of the thread whose "n" entries "list" are: append them to "out" and
 * return their number; -1 if the elements do not divide so.
 */
static int thread_vectors(const struct poly_held *list, int n,
	const struct poly_memory *m, int64_t *byte, struct vector *out)
{
	int size = m->size * m->vector, k = 0, count = 0;

	for (int i = 0; i < n; i++) {
		int64_t at = m->byte(list[i].x, m->user);

		if (at < 0)
			continue;
		byte[count++] = at;
		if (at % size == 0) {
			out[k].byte = at;
			memcpy(out[k].instruction, list[i].at,
				sizeof(list[i].at));
			out[k++].instruction[POLY_AT_THREAD] /= POLY_LANES;
		}
	}
	return m->vector == 1 || fill_vectors(byte, count, m->size, size) ?
		k : -1;
}

static bool is_same_thread(const struct poly_held *a,
	const struct poly_held *b)
{
	return a->at[POLY_AT_CLUSTER] == b->at[POLY_AT_CLUSTER] &&
		a->at[POLY_AT_THREAD] == b->at[POLY_AT_THREAD];
}

/* All vectors of the "n" entries "list"; their number, -1 if there are none. */
static int all_vectors(const struct poly_held *list, int n,
	const struct poly_memory *m, int64_t *byte, struct vector *v)
{
	int n_vector = 0;

	for (int i = 0, next; i < n; i = next) {
		int own;

		for (next = i + 1; next < n && is_same_thread(&list[i],
		     &list[next]); next++)
			;
		own = thread_vectors(list + i, next - i, m, byte, v + n_vector);
		if (own < 0)
			return -1;
		n_vector += own;
	}
	return n_vector;
}

/* Add up the instructions of the sorted vectors. */
static struct poly_traffic add_up(const struct vector *v, int n,
	const struct poly_memory *m)
{
	struct poly_traffic sum = { 0 };
	int64_t byte[POLY_LANES];

	for (int i = 0, next; i < n; i = next) {
		struct poly_traffic t;

		for (next = i; next < n && !compare_vectors(&v[i], &v[next]) &&
		     next - i < POLY_LANES; next++)
			byte[next - i] = v[next].byte;
		t = m->shared ?
			poly_traffic_shared(byte, next - i, m->size * m->vector) :
			poly_traffic_global(byte, next - i, m->size * m->vector);
		sum.lanes += t.lanes;
		sum.transactions += t.transactions;
		sum.least += t.least;
	}
	return sum;
}

bool poly_layout_traffic(const struct poly_layout *l,
	const struct poly_memory *memory, struct poly_traffic *traffic)
{
	int n, n_vector = -1;
	struct poly_held *list = poly_layout_list(l, &n);
	struct vector *v = malloc(((size_t) n + 1) * sizeof(*v));
	int64_t *byte = malloc(((size_t) n + 1) * sizeof(*byte));

	if (list && v && byte)
		n_vector = all_vectors(list, n, memory, byte, v);
	if (n_vector >= 0) {
		qsort(v, (size_t) n_vector, sizeof(*v), compare_vectors);
		*traffic = add_up(v, n_vector, memory);
	}
	free(byte);
	free(v);
	free(list);
	return n_vector >= 0;
}

/* ------------------------------------------------------------- two memories */

/* An affine address. */
struct strides {
	int n_dim;
	int64_t first;
	const int64_t *stride;
};

/* The byte at which the element "x" begins. */
static int64_t strided(const int *x, void *user)
{
	const struct strides *s = user;
	int64_t byte = s->first;

	for (int i = 0; i < s->n_dim; i++)
		byte += x[i] * s->stride[i];
	return byte;
}

bool poly_layout_sectors(const struct poly_layout *l, int64_t first,
	const int64_t *stride, int size, int vector,
	struct poly_traffic *traffic)
{
	struct strides s = { l ? l->n_dim : 0, first, stride };
	struct poly_memory m = { strided, &s, false, size, vector };

	return poly_layout_traffic(l, &m, traffic);
}

/* A layout in memory: where each point of its box is. */
struct buffer {
	const struct poly_layout *l;
	struct poly_held *list;
	int *owner;
};

/* The byte of the buffer where "x" is; -1: nowhere. */
static int64_t in_buffer(const int *x, void *user)
{
	const struct buffer *b = user;
	int64_t point = poly_layout_point(b->l, x);
	int owner = point < 0 ? -1 : b->owner[point];

	return owner < 0 ? -1 : b->list[owner].at[POLY_AT_BYTE];
}

bool poly_layout_passes(const struct poly_layout *l,
	const struct poly_layout *shared, int size, int vector,
	struct poly_traffic *traffic)
{
	int n;
	struct buffer b = { shared, poly_layout_list(shared, &n), NULL };
	struct poly_memory m = { in_buffer, &b, true, size, vector };
	bool ok;

	b.owner = b.list ? poly_layout_owners(shared, b.list, n) : NULL;
	ok = b.owner && poly_layout_traffic(l, &m, traffic);
	free(b.owner);
	free(b.list);
	return ok;
}

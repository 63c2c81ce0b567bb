/* Copies in bulk on the host device, and the barriers that count their bytes.
 *
 * As other asynchronous copies, they land as late as they may: when the first
 * thread waits for the phase in which they were started, which ends with that. One of
 * a box is as many copies as it has units of 16 bytes, which it swizzles by the place
 * where each lies in shared memory, as the hardware does. One to all blocks of a cluster is
 * one for each, which the barrier of each counts.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* Both addresses and the size of a copy in bulk are multiples of it. */
enum { BULK_UNIT = 16, ROW_BYTES = 128 };

/* What a barrier is in shared memory: the threads that each phase is for, and
 * those that have not arrived in this one; bytes that are expected and have not
 * been copied.
 */
struct host_mbarrier {
	uint16_t phase : 1, count : 15;
	uint16_t pending;
	int32_t bytes;
};
_Static_assert(sizeof(struct host_mbarrier) == 8, "as large as on a GPU");

/* End the phase of "m": its copies land. */
static void end_phase(struct host_worker *w, struct host_mbarrier *m)
{
	const struct host_thread *last = NULL;
	size_t i, n = 0;

	for (i = 0; i < w->n_bulk; i++) {
		struct host_bulk *b = &w->bulk[i];

		if (b->barrier != m) {
			w->bulk[n++] = *b;
			continue;
		}
		if (w->check && last && last != b->thread)
			cetane_rt_host_check_arrive(w->check, &last->t, m);
		cetane_rt_host_land(&b->thread->t, &b->copy);
		last = b->thread;
	}
	if (w->check && last)
		cetane_rt_host_check_arrive(w->check, &last->t, m);
	w->n_bulk = n;
	m->phase = !m->phase;
	m->pending = m->count;
}

static bool is_full(const struct host_mbarrier *m)
{
	return m->pending == 0 && m->bytes == 0;
}

bool cetane_rt_host_ends(const struct host_mbarrier *m, uint32_t parity)
{
	return m->phase != parity || is_full(m);
}

void cetane_host_mbarrier_init(struct cetane_host_thread *t, void *barrier,
	uint32_t count)
{
	struct host_mbarrier *m = barrier;

	(void)t;
	*m = (struct host_mbarrier){ .count = count & 0x7fff };
	m->pending = m->count;
}

/* What the block "w" has at "own" as the block "rank" of its cluster has it. */
static void *at_peer(const struct host_worker *w, const struct host_worker *peer,
	const void *own)
{
	return peer->shared + ((const unsigned char *) own - w->shared);
}

/* Thread "th" arrives at "m", of the block of "w", and expects "bytes". Who arrives at a
 * phase that may have ended begins the next one.
 */
static void count_arrival(struct host_thread *th, struct host_worker *w,
	struct host_mbarrier *m, uint32_t bytes)
{
	if (is_full(m))
		end_phase(w, m);
	m->pending--;
	m->bytes += (int32_t) bytes;
	if (w->check)
		cetane_rt_host_check_arrive(w->check, &th->t, m);
}

void cetane_host_mbarrier_expect(struct cetane_host_thread *t, void *barrier,
	uint32_t bytes)
{
	struct host_thread *th = t->priv;

	count_arrival(th, th->w, barrier, bytes);
}

void cetane_host_mbarrier_arrive_at(struct cetane_host_thread *t, void *own,
	uint32_t rank)
{
	struct host_thread *th = t->priv;
	struct host_worker *to = rank < th->w->n_peer ? th->w->peer[rank] : th->w;

	count_arrival(th, to, at_peer(th->w, to, own), 0);
}

void cetane_host_mbarrier_arrive(struct cetane_host_thread *t, void *barrier)
{
	cetane_host_mbarrier_expect(t, barrier, 0);
}

void cetane_host_mbarrier_wait(struct cetane_host_thread *t, void *barrier,
	uint32_t parity)
{
	struct host_thread *th = t->priv;
	struct host_mbarrier *m = barrier;

	while (!cetane_rt_host_ends(m, parity))
		cetane_rt_host_wait_bytes(th, m, parity);
	if (m->phase == parity)
		end_phase(th->w, m);
	if (th->w->check)
		cetane_rt_host_check_wait(th->w->check, t, m);
}

/* Room for one more; false without memory. */
static bool make_room(struct host_worker *w)
{
	size_t cap = w->cap_bulk ? 2 * w->cap_bulk : 64;
	struct host_bulk *more;

	if (w->n_bulk < w->cap_bulk)
		return true;
	more = realloc(w->bulk, cap * sizeof(*more));
	if (!more)
		return false;
	w->bulk = more;
	w->cap_bulk = cap;
	return true;
}

/* Start the copy of "from", in the array at "base", to the block of "w", if all is well
 * with it.
 */
static void start_bulk(struct cetane_host_thread *t, struct host_worker *w,
	const struct host_bulk *bulk, const void *base, uint32_t site_from)
{
	struct host_bulk b = *bulk;

	if (b.copy.n && !cetane_host_check(t, base, b.copy.from, b.copy.n, 0,
		site_from))
		b.copy.n = 0;
	if (!cetane_host_check(t, t->shared, b.copy.to, b.copy.size,
		CETANE_HOST_WRITE | CETANE_HOST_SHARED | CETANE_HOST_LATER,
		b.copy.site))
		return;
	if (make_room(w))
		w->bulk[w->n_bulk++] = b;
	else
		cetane_rt_host_land(t, &b.copy);
}

void cetane_host_copy_bulk(struct cetane_host_thread *t, void *to,
	void *barrier, const void *base, const void *from, uint32_t size,
	uint32_t site_to, uint32_t site_from)
{
	struct host_thread *th = t->priv;
	struct host_mbarrier *m = barrier;
	struct host_bulk b = { th, m,
		{ to, from, size, size, site_to, 0 } };

	m->bytes -= (int32_t) size;
	if (cetane_rt_host_is_aligned(t, to, from, size, BULK_UNIT))
		start_bulk(t, th->w, &b, base, site_from);
}

/* ------------------------------------------------------------------- boxes */

enum cetane_status cetane_rt_host_encode(struct cetane_device *dev,
	const struct cetane_rt_map *map, void *bytes)
{
	bool ok = map->base % BULK_UNIT == 0;
	uint32_t i;

	(void)dev;
	for (i = 1; i < map->n_dim; i++)
		ok = ok && map->stride[i] % BULK_UNIT == 0;
	if (!ok)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "an array whose "
			"boxes are copied begins at, or has rows of, no "
			"multiple of %d bytes", BULK_UNIT);
	memcpy(bytes, map, sizeof(*map));
	return CETANE_OK;
}

/* Let "x" be the next pixel of a box that slides: the next one along its first dimension,
 * or, behind the last one, the first one and the next of the dimension behind.
 */
static void next_pixel(const struct cetane_rt_map *map, int32_t *x)
{
	uint32_t d;

	for (d = 1; d + 1 < map->n_dim; d++) {
		x[d] += map->step[d - 1];
		if (x[d] < (int64_t) map->size[d] + map->high[d - 1])
			return;
		x[d] = map->low[d - 1];
	}
	x[d]++;
}

/* Where the pixel "x" begins in the array, whose window is "off" from it, or NULL, outside
 * of it.
 */
static const char *pixel_of(const struct cetane_rt_map *map, const int32_t *x,
	const int32_t *off)
{
	uint64_t from = map->base;
	uint32_t d;

	for (d = 1; d < map->n_dim; d++) {
		int64_t at = x[d] + (int64_t) (d + 1 < map->n_dim ? off[d - 1] : 0);

		if (at < 0 || (uint64_t) at >= map->size[d])
			return NULL;
		from += (uint64_t) at * map->stride[d];
	}
	return (const char *) (uintptr_t) from;
}

/* Where row "q" of the box at "at" begins in the array but for its first dimension, or
 * NULL, outside of it.
 */
static const char *row_of(const struct cetane_rt_map *map, const int32_t *at,
	uint32_t q)
{
	uint64_t from = map->base;
	uint32_t d;

	for (d = 1; d < map->n_dim; d++) {
		int64_t x = at[d] + (int64_t) (q % map->box[d]);

		if (x < 0 || (uint64_t) x >= map->size[d])
			return NULL;
		from += (uint64_t) x * map->stride[d];
		q /= map->box[d];
	}
	return (const char *) (uintptr_t) from;
}

/* The bytes of unit "c" of a row of the box at "at" that lie in the array. */
static uint32_t bytes_inside(const struct cetane_rt_map *map, const int32_t *at,
	uint32_t c)
{
	int64_t size = map->elem_bytes;
	int64_t first = at[0] * size + c * BULK_UNIT;
	int64_t n = (int64_t) map->size[0] * size - first;

	return first < 0 || n < 0 ? 0 : n < BULK_UNIT ? (uint32_t) n : BULK_UNIT;
}

/* Start the copy of the box to the block of "w", which has "to" and "m". Behind "at" it is
 * told how far off the window is, of boxes that slide. What another block
 * sends may come to a phase that may have ended: then it begins the next one.
 */
static void start_box(struct cetane_host_thread *t, struct host_worker *w, void *to,
	struct host_mbarrier *m, const struct cetane_rt_map *p, const int32_t *at,
	const uint32_t site[2])
{
	const void *base = (const void *) (uintptr_t) p->base;
	struct host_bulk b = { t->priv, m, { NULL, NULL, BULK_UNIT, 0, site[0], 0 } };
	size_t offset = (size_t) ((unsigned char *) to - w->shared);
	int32_t x[CETANE_RT_MAP_DIM];
	uint32_t rows = 1, d, q, c;

	for (d = 1; d < p->n_dim; d++)
		rows *= p->box[d];
	memcpy(x, at, p->n_dim * sizeof(*x));
	if (w != b.thread->w && is_full(m))
		end_phase(w, m);
	m->bytes -= (int32_t) (rows * ROW_BYTES);
	if (!cetane_rt_host_is_aligned(t, to, NULL, ROW_BYTES, ROW_BYTES))
		return;
	for (q = 0; q < rows; q++) {
		const char *from = p->slides ? pixel_of(p, x, at + p->n_dim) :
			row_of(p, at, q);

		for (c = 0; c < ROW_BYTES / BULK_UNIT; c++) {
			size_t row = offset / ROW_BYTES + q;

			b.copy.to = w->shared + row * ROW_BYTES +
				(c ^ row % 8) * BULK_UNIT;
			b.copy.n = from ? bytes_inside(p, at, c) : 0;
			b.copy.from = b.copy.n ? from + (int64_t) at[0] *
				p->elem_bytes + c * BULK_UNIT : base;
			start_bulk(t, w, &b, base, site[1]);
		}
		if (p->slides)
			next_pixel(p, x);
	}
}

void cetane_host_copy_box(struct cetane_host_thread *t, void *to, void *barrier,
	const void *map, const int32_t *at, uint32_t site_to, uint32_t site_from)
{
	const uint32_t site[2] = { site_to, site_from };

	start_box(t, ((struct host_thread *) t->priv)->w, to, barrier, map, at, site);
}

void cetane_host_copy_box_to_all(struct cetane_host_thread *t, void *to,
	void *barrier, const void *map, const int32_t *at, uint32_t site_to,
	uint32_t site_from, uint32_t blocks)
{
	struct host_worker *w = ((struct host_thread *) t->priv)->w;
	const uint32_t site[2] = { site_to, site_from };
	uint32_t i;

	for (i = 0; i < blocks && i < w->n_peer; i++)
		start_box(t, w->peer[i], at_peer(w, w->peer[i], to),
			at_peer(w, w->peer[i], barrier), map, at, site);
}

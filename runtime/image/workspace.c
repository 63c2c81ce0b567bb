/* Where temporaries lie in the workspace: those whose lives do not meet share bytes.
 *
 * Launches run one after another. So a temporary lives from the first launch that has it
 * among its arguments to the last one, and, if one of these is in a loop, from the
 * beginning to the end of the outermost loop around it: what it holds may go from one
 * round to the next. The largest are placed first, each at the lowest place where
 * nothing is that lives at the same time.
 */
#include "runtime/image/image.h"

/* Temporaries that share bytes, at most; the others have bytes of their own. */
enum { MOST_SHARED = 128 };
#define MOST_WORK (INT64_C(1) << 46)

/* A temporary: its steps, from the first to the last one, and its bytes. */
struct life {
	int array, first, last;
	int64_t bytes, at;
};

/* The life of "array" among "n", which are sorted by their arrays; NULL if it
 * has none.
 */
static struct life *life_of(struct life *life, int n, int array)
{
	int from = 0, to = n;

	while (from < to) {
		int middle = (from + to) / 2;

		if (life[middle].array < array)
			from = middle + 1;
		else
			to = middle;
	}
	return from < n && life[from].array == array ? &life[from] : NULL;
}

/* Note that steps "first" to "last" have the arguments of "k". */
static void live_in(const struct cetane_rt_kernel *k, struct life *life, int n,
	int first, int last)
{
	for (int i = 0; i < k->n_arg; i++) {
		const struct cetane_rt_arg *arg = &k->arg[i];
		struct life *l = arg->kind == CETANE_RT_ARG_ARRAY ||
			arg->kind == CETANE_RT_ARG_COUNT ||
			arg->kind == CETANE_RT_ARG_CLEAR ||
			arg->kind == CETANE_RT_ARG_MAP ?
			life_of(life, n, arg->index) : NULL;

		if (!l)
			continue;
		l->first = l->last < 0 || first < l->first ? first : l->first;
		l->last = last > l->last ? last : l->last;
	}
}

/* Find the lives of "n" temporaries in the steps of "version". One that no step has
 * lives all the time.
 */
static void find_lives(const struct cetane_rt_record *r, int version,
	struct life *life, int n)
{
	int from = r->n_version ? r->version[version].first : 0;
	int to = from + (r->n_version ? r->version[version].n_step :
		r->n_step);
	int end = -1, begin = 0;

	for (int i = from; i < to; i++) {
		const struct cetane_rt_step *step = &r->step[i];

		if (cetane_rt_is_loop(step) && i > end) {
			begin = i;
			end = from + step->mate;
		} else if (step->kind == CETANE_RT_LAUNCH) {
			live_in(&r->kernel[step->index], life, n,
				i < end ? begin : i, i < end ? end : i);
		}
	}
	for (int i = 0; i < n; i++)
		if (life[i].last < 0) {
			life[i].first = from;
			life[i].last = to;
		}
}

/* Do "a" and "b" live, and would they lie, at one time in one place? */
static bool lives_meet(const struct life *a, const struct life *b)
{
	return a->first <= b->last && b->first <= a->last &&
		a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* Place "l" where none of "n" others is, which are placed. */
static void place_life(struct life *l, struct life *const *other, int n)
{
	bool moved = true;

	l->at = 0;
	while (moved) {
		moved = false;
		for (int i = 0; i < n; i++)
			if (lives_meet(l, other[i])) {
				l->at = other[i]->at + other[i]->bytes;
				moved = true;
			}
	}
}

/* Place the "n" temporaries; returns the bytes that they need. */
static int64_t place_lives(struct life *life, int n)
{
	struct life *order[MOST_SHARED];
	int64_t total = 0;

	for (int i = 0; i < n; i++) {
		int k = i;

		for (; k > 0 && order[k - 1]->bytes < life[i].bytes; k--)
			order[k] = order[k - 1];
		order[k] = &life[i];
	}
	for (int i = 0; i < n; i++) {
		place_life(order[i], order, i);
		if (order[i]->at + order[i]->bytes > total)
			total = order[i]->at + order[i]->bytes;
	}
	return total;
}

/* The version whose temporaries are asked for, if there are several. */
static enum cetane_status chosen(const struct cetane_rt_record *r,
	const int64_t *size, int *version)
{
	*version = 0;
	for (int i = 0; i < r->n_array; i++)
		if (r->array[i].role == CETANE_RT_TEMP && r->n_version)
			return cetane_rt_record_version(r, size, version);
	return CETANE_OK;
}

/* Add the bytes "more" to "*total", each time whole lines. */
static enum cetane_status add_bytes(const struct cetane_rt_record *r,
	int64_t *more, int64_t *total)
{
	*more = (*more + CETANE_RT_WORK_ALIGN - 1) / CETANE_RT_WORK_ALIGN *
		CETANE_RT_WORK_ALIGN;
	if (*total > MOST_WORK - *more)
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"%s: the workspace is too large for any memory",
			r->program);
	*total += *more;
	return CETANE_OK;
}

enum cetane_status cetane_rt_record_layout(const struct cetane_rt_record *r,
	const int64_t *size, cetane_ptr *offset, int64_t *total)
{
	int version;
	enum cetane_status s = chosen(r, size, &version);

	return s == CETANE_OK ? cetane_rt_record_layout_of(r, size, version,
		offset, total) : s;
}

enum cetane_status cetane_rt_record_layout_of(const struct cetane_rt_record *r,
	const int64_t *size, int version, cetane_ptr *offset, int64_t *total)
{
	struct life life[MOST_SHARED];
	int64_t all = 0, own = 0, shared, bytes;
	enum cetane_status s = CETANE_OK;
	int n = 0;

	for (int i = 0; i < r->n_array && s == CETANE_OK; i++) {
		if (r->array[i].role != CETANE_RT_TEMP)
			continue;
		s = cetane_rt_record_bytes_of(r, i, size, version, &bytes);
		if (s == CETANE_OK)
			s = add_bytes(r, &bytes, &all);
		if (s != CETANE_OK)
			return s;
		if (n < MOST_SHARED) {
			life[n++] = (struct life) { i, 0, -1, bytes, 0 };
			continue;
		}
		if (offset)
			offset[i] = (cetane_ptr) own;
		own += bytes;
	}
	if (s != CETANE_OK)
		return s;
	find_lives(r, version, life, n);
	shared = place_lives(life, n);
	for (int i = 0; offset && i < n; i++)
		offset[life[i].array] = (cetane_ptr) (own + life[i].at);
	*total = own + shared;
	return CETANE_OK;
}

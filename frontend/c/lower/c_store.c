/* What the variables of a C nest hold while it is executed.
 *
 * The values in the program's own types are the elements of "data". What else
 * there is to a number (value.h) is its trace: how far the wide value is from
 * that one, and the bound; where it was updated by + or *, also how often and
 * the size of all that went in, since updates may be made in any order. Traces
 * appear with the first number that needs one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/c/lower/c_store.h"

/* The trace of one number, updated by "op": how far off it is, and how far it
 * may be.
 */
struct fe_c_trace {
	double off, bound;
	double size;		/* of the terms with positive signs */
	double most;		/* what some of the factors come to, at most */
	int64_t n;		/* of them; 0: the number is whole */
	enum poly_op op;
};

void fe_c_store_begin(enum poly_type t, struct fe_c_store *s)
{
	size_t size = (size_t)s->n * (size_t)poly_type_size(t);

	free(s->trace);
	s->trace = NULL;
	s->lost = false;
	if (s->data && s->input)
		memcpy(s->data, s->input, size);
	else if (s->data)
		memset(s->data, 0, size);
}

void fe_c_store_free(struct fe_c_store *s)
{
	free(s->data);
	free(s->trace);
}

/* --------------------------------------------------------------- elements */

/* Store the value in the program's own type as element "at" of "data"; in the
 * ring, a float is its integer.
 */
static void save_plain(enum poly_type t, void *data, int64_t at,
	const struct fe_number *v)
{
	if (poly_type_is_float(t) && !v->ring) {
		fe_number_save(t, data, at, v->f);
		return;
	}
	switch (poly_type_size(t)) {
	case 1:
		((uint8_t *)data)[at] = (uint8_t)v->i;
		break;
	case 2:
		((uint16_t *)data)[at] = (uint16_t)v->i;
		break;
	case 4:
		((uint32_t *)data)[at] = (uint32_t)v->i;
		break;
	default:
		((int64_t *)data)[at] = v->i;
		break;
	}
}

/* A double that is not less than "x". */
static double at_least(long double x)
{
	double y = (double)x;

	return y < x ? y * (1 + 0x1p-52) + 0x1p-1074 : y;
}

/* Element "at" with its trace as a sum that goes on; without a trace it is
 * whole and exact.
 */
static struct fe_sum load_sum(enum poly_type t, const struct fe_c_store *s,
	int64_t at)
{
	struct fe_sum sum = { .type = t,
		.value = fe_value_load(t, s->data, at, s->ring) };
	const struct fe_c_trace *trace;

	if (s->trace) {
		trace = &s->trace[at];
		sum.op = trace->op;
		sum.size = trace->size;
		sum.most = trace->most;
		sum.n = trace->n;
		sum.value.wide += trace->off;
		sum.value.bound = fmaxl(sum.value.bound, trace->bound);
	}
	if (s->lost)
		sum.value.bound = INFINITY;
	return sum;
}

/* What is lost of the wide value goes to the bound. */
static bool save_sum(enum poly_type t, struct fe_c_store *s, int64_t at,
	const struct fe_sum *sum)
{
	const struct fe_number *v = &sum->value;
	struct fe_c_trace *trace;
	long double bound = v->bound;

	save_plain(t, s->data, at, v);
	if (!s->trace && v->bound == 0 && !sum->n)
		return true;
	if (!s->trace)
		s->trace = calloc((size_t)s->n + 1, sizeof(*s->trace));
	if (!s->trace)
		return false;
	trace = &s->trace[at];
	*trace = (struct fe_c_trace) { .size = at_least(sum->size),
		.most = at_least(sum->most), .n = sum->n, .op = sum->op };
	if (poly_type_is_float(t))
		trace->off = (double)(v->wide - v->f);
	if (!isfinite(trace->off)) {
		trace->off = 0;
		bound = INFINITY;
	}
	if (trace->off != 0)
		bound += fabsl(v->wide) * 0x1p-63L +
			fabsl((long double)trace->off) * 0x1p-52L;
	trace->bound = at_least(bound);
	return true;
}

struct fe_number fe_c_load(enum poly_type t, const struct fe_c_store *s,
	int64_t at)
{
	struct fe_sum sum;

	if (!s->trace && !s->lost)
		return fe_value_load(t, s->data, at, s->ring);
	sum = load_sum(t, s, at);
	return fe_sum_end(&sum);
}

bool fe_c_save(enum poly_type t, struct fe_c_store *s, int64_t at,
	const struct fe_number *v)
{
	const struct fe_sum sum = { .type = t, .value = *v };

	return save_sum(t, s, at, &sum);
}

/* What was there before the first update is a term, too. */
bool fe_c_save_update(enum poly_type t, struct fe_c_store *s, int64_t at,
	enum poly_op op, const struct fe_number *x)
{
	struct fe_sum sum = load_sum(t, s, at);

	if (!sum.n || sum.op != op) {
		sum = (struct fe_sum) { .op = op, .type = t,
			.value = fe_sum_end(&sum), .n = 1 };
		sum.size = fabsl(sum.value.wide) + sum.value.bound;
		sum.most = fmaxl(sum.size, 1);
	}
	fe_sum_add(&sum, x);
	return save_sum(t, s, at, &sum);
}

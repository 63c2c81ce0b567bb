/* Values that are computed again where they are read, as that takes less time than to
 * store them:
 *
 *	x[i] = f(a[i], b[i])
 *	s += x[i]				s += f(a[i], b[i])
 *	y[i] = x[i] - s			y[i] = f(a[i], b[i]) - s
 *
 * A map in a kernel of its own writes each value once and every reader loads it; without
 * it readers load what it was made of. Both are priced as the model does: bytes at the
 * rate of memory, or operators at that of the schedulers, whichever takes longer.
 */
#include <stdlib.h>

#include <isl/aff.h>
#include <isl/schedule_node.h>

#include "polyir/base/base.h"
#include "polyir/cost/cost.h"
#include "polyir/deps/deps.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/rows/rows.h"

/* Readers of a value, at most: the program must not grow without end. What lanes of a
 * multiprocessor begin in a cycle.
 */
enum { MOST_READERS = 8, INSTRUCTIONS = 128 };

/* A map while it is looked at, and its readers, one after another. "group_of" says of
 * each statement whether it has a place in a group: 0 or more.
 */
struct again {
	struct poly_prog *prog;
	const int *group_of;
	struct poly_stmt *s;
	isl_multi_aff *back;	/* { A[..] -> S[..] } */
	isl_multi_aff *at;	/* { R[..] -> A[..] } of the first read */
	int n_read;		/* of the reader that is looked at */
	bool refused;
};

/* How many instances "s" has. */
static double points(const struct again *w, const struct poly_stmt *s)
{
	int n_dim = isl_set_dim(s->domain, isl_dim_set);
	double n = 1;

	for (int d = 0; d < n_dim; d++)
		n *= poly_range_count(w->prog, isl_set_copy(s->domain), d);
	return n;
}

/* Bytes of what an instance reads, of arrays of "n_dim" dimensions or more. */
struct bytes {
	const struct poly_array *but;
	int n_dim, n;
};

static void add_bytes(struct poly_expr *leaf, void *user)
{
	struct bytes *b = user;

	if (leaf->array != b->but && leaf->array->n_dim >= b->n_dim)
		b->n += poly_type_size(leaf->array->type);
}

/* The bytes of what "e" reads of arrays of "n_dim" dimensions or more, but for "but". */
static double bytes_of(struct poly_expr *e, const struct poly_array *but,
	int n_dim)
{
	struct bytes b = { .but = but, .n_dim = n_dim };

	poly_expr_each_access(e, add_bytes, &b);
	return b.n;
}

/* The cycles of "n" instances that each move "bytes" and take "instructions". */
static double cycles(const struct again *w, double n, double bytes,
	double instructions)
{
	const struct poly_rates *r = poly_rates_of(&w->prog->target);
	double memory = bytes / r->price_memory;
	double issue = instructions / (INSTRUCTIONS *
		(double)w->prog->target.multiprocessors);

	return n * (memory > issue ? memory : issue);
}

/* ----------------------------------------------------------------- the statement */

/* Note a read by the statement that has to be as it is: of an array that is not done
 * before, as far as is known.
 */
static void check_source(struct poly_expr *leaf, void *user)
{
	struct again *w = user;
	const struct poly_array *a = leaf->array;

	w->refused |= a == w->s->write_array || leaf->op != POLY_OP_ACCESS ||
		(poly_is_temp(a) && a->n_dim >= w->s->write_array->n_dim) ||
		(!poly_is_temp(a) && a->role != POLY_INPUT);
}

/* "{ A[..] -> S[..] }", the instance that writes an element; NULL if the index is not
 * one dimension after another.
 */
static __isl_give isl_multi_aff *written_by(const struct poly_stmt *s)
{
	int n = isl_set_dim(s->domain, isl_dim_set);
	isl_space *array = isl_space_range(isl_multi_pw_aff_get_space(
		s->write_index));
	isl_space *own = isl_space_align_params(isl_set_get_space(s->domain),
		isl_space_copy(array));
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(array));
	isl_multi_aff *ma = isl_multi_aff_zero(
		isl_space_map_from_domain_and_range(isl_space_align_params(
			array, isl_space_copy(own)), own));
	unsigned seen = 0;

	for (int pos = 0; pos < s->write_array->n_dim; pos++) {
		int d = poly_index_dim(s->write_index, pos, s);

		if (d < 0 || d >= 32)
			continue;
		seen |= 1u << d;
		ma = isl_multi_aff_set_at(ma, d, isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, pos));
	}
	isl_local_space_free(local);
	if (n == s->write_array->n_dim && n < 32 && seen == (1u << n) - 1)
		return ma;
	isl_multi_aff_free(ma);
	return NULL;
}

/* Is "w->s" a map of inputs, and of less than its points, into a temporary that nobody
 * else writes?
 */
static bool is_map(struct again *w)
{
	struct poly_stmt *s = w->s;
	struct poly_array *a = s->write_array;

	if (s->kind != POLY_POINT || s->reduce != POLY_OP_NONE || s->atomic ||
	    s->across || s->fold || !poly_is_temp(a) || !a->n_dim ||
	    a->gathered || a->scattered || poly_is_update(s) ||
	    poly_recurrence_read(w->prog, s, NULL))
		return false;
	for (int i = 0; i < w->prog->n_stmt; i++)
		if (w->prog->stmt[i] != s && w->prog->stmt[i]->write_array == a)
			return false;
	w->refused = false;
	poly_expr_each_access(s->rhs, check_source, w);
	poly_expr_each_gather(s->rhs, check_source, w);
	return !w->refused;
}

/* ------------------------------------------------------------------- the readers */

/* Note a read of the temporary: all of a reader are at one place. */
static void note_read(struct poly_expr *leaf, void *user)
{
	struct again *w = user;
	isl_multi_aff *at;

	if (leaf->array != w->s->write_array)
		return;
	if (isl_multi_pw_aff_isa_multi_aff(leaf->index) != isl_bool_true) {
		w->refused = true;
		return;
	}
	at = isl_multi_pw_aff_as_multi_aff(isl_multi_pw_aff_copy(leaf->index));
	w->n_read++;
	if (!w->at)
		w->at = isl_multi_aff_copy(at);
	w->refused |= isl_multi_aff_plain_is_equal(at, w->at) != isl_bool_true;
	isl_multi_aff_free(at);
}

/* Does "r" read the temporary? Clears what may not be: reads at several places, by
 * what is no statement of points, has a place in a group, or goes on from itself.
 */
static bool reads(struct again *w, int i)
{
	struct poly_stmt *r = w->prog->stmt[i];

	w->at = isl_multi_aff_free(w->at);
	w->n_read = 0;
	if (r == w->s || !poly_stmt_accesses(r, w->s->write_array))
		return false;
	w->refused |= r->kind != POLY_POINT || w->group_of[i] >= 0 || r->fold ||
		r->atomic || !r->rhs ||
		poly_expr_accesses(r->rhs, r->write_array);
	if (!w->refused)
		poly_expr_each_access(r->rhs, note_read, w);
	return true;
}

/* The child of the sequence or set "node", which is taken, that has instances of "a", and in
 * it what stands below; "*apart" if it has none of "b".
 */
static __isl_give isl_schedule_node *child_with(__isl_take isl_schedule_node *node,
	const struct poly_stmt *a, const struct poly_stmt *b, bool *apart)
{
	int n = isl_schedule_node_n_children(node), at = 0;

	for (int i = 0; i < n; i++) {
		isl_schedule_node *child = isl_schedule_node_get_child(node, i);
		isl_union_set *filter = isl_schedule_node_filter_get_filter(child);
		isl_set *own = isl_union_set_extract_set(filter,
			isl_set_get_space(a->domain));
		isl_set *other = isl_union_set_extract_set(filter,
			isl_set_get_space(b->domain));

		if (isl_set_is_empty(own) == isl_bool_false) {
			*apart = isl_set_is_empty(other) == isl_bool_true;
			at = i;
		}
		isl_set_free(own);
		isl_set_free(other);
		isl_union_set_free(filter);
		isl_schedule_node_free(child);
	}
	return isl_schedule_node_child(isl_schedule_node_child(node, at), 0);
}

/* Have "a" and "b" no band in common: do sequences or sets alone lead to both? */
static bool are_apart(const struct poly_prog *prog, const struct poly_stmt *a,
	const struct poly_stmt *b)
{
	isl_schedule_node *node = isl_schedule_node_child(
		isl_schedule_get_root(prog->schedule), 0);
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	bool apart = false;

	while (!apart && (type == isl_schedule_node_sequence ||
	       type == isl_schedule_node_set)) {
		node = child_with(node, a, b, &apart);
		type = isl_schedule_node_get_type(node);
	}
	isl_schedule_node_free(node);
	return apart;
}

/* Is it sooner done to compute what "w->s" does again where it is read? */
static bool is_sooner(struct again *w)
{
	struct poly_stmt *s = w->s;
	int n_dim = s->write_array->n_dim, n_reader = 0;
	double own = poly_type_size(s->write_array->type), n = points(w, s);
	double make = bytes_of(s->rhs, NULL, n_dim);
	double work = poly_price_operators(w->prog, s->rhs);
	double stored = cycles(w, n, make + own, work), again = 0;

	for (int i = 0; i < w->prog->n_stmt && !w->refused; i++) {
		struct poly_stmt *r = w->prog->stmt[i];
		double rest, each, more;

		if (!reads(w, i))
			continue;
		rest = bytes_of(r->rhs, s->write_array, n_dim) + (r->reduce ==
			POLY_OP_NONE && r->write_array->n_dim >= n_dim ?
			poly_type_size(r->write_array->type) : 0);
		each = poly_price_operators(w->prog, r->rhs) + 1;
		more = points(w, r);
		w->refused |= more > n || !w->n_read ||
			++n_reader > MOST_READERS || !are_apart(w->prog, s, r);
		stored += cycles(w, more, rest + own, each);
		again += cycles(w, more, rest + make, each + work);
	}
	return !w->refused && n_reader && again < stored;
}

/* -------------------------------------------------------------------- the change */

/* Let "e", of a statement that reads the temporary at w->at, compute what it reads.
 * Returns "e", or what takes its place; NULL without memory.
 */
static struct poly_expr *computed(const struct again *w, struct poly_expr *e)
{
	isl_multi_aff *at;
	struct poly_expr *value;

	if (!e)
		return NULL;
	if (e->op == POLY_OP_ACCESS && e->array == w->s->write_array) {
		at = isl_multi_aff_pullback_multi_aff(
			isl_multi_aff_copy(w->back), isl_multi_aff_copy(w->at));
		value = poly_expr_copy(w->s->rhs);
		poly_expr_pullback(value, at);
		isl_multi_aff_free(at);
		value = poly_expr_cast(e->type, value);
		poly_expr_free(e);
		return value;
	}
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		e->arg[i] = computed(w, e->arg[i]);
	return e;
}

/* Let all readers compute it, and drop the statement, number "i", and its temporary. */
static void compute_again(struct again *w, int i)
{
	struct poly_prog *prog = w->prog;
	struct poly_array *array = w->s->write_array;

	for (int k = 0; k < prog->n_stmt; k++)
		if (reads(w, k))
			prog->stmt[k]->rhs = computed(w, prog->stmt[k]->rhs);
	poly_prog_drop_stmt(prog, i);
	poly_prog_drop_array(prog, array);
}

/* "e", the value of w->s, with what maps beside it in its kernel make computed in their
 * place: what reads both has neither.
 */
static struct poly_expr *through_maps(const struct again *w, struct poly_expr *e)
{
	for (int i = 0; e && i < w->prog->n_stmt; i++) {
		struct again v = { .prog = w->prog, .group_of = w->group_of,
			.s = w->prog->stmt[i] };

		if (v.s == w->s || w->group_of[i] >= 0 ||
		    !poly_expr_accesses(e, v.s->write_array) || !is_map(&v) ||
		    are_apart(w->prog, v.s, w->s))
			continue;
		v.back = written_by(v.s);
		poly_expr_each_access(e, note_read, &v);
		if (v.back && v.n_read && !v.refused) {
			e = computed(&v, e);
			i = -1;
		}
		isl_multi_aff_free(v.back);
		isl_multi_aff_free(v.at);
	}
	return e;
}

/* Drop maps in no group whose values nobody reads any more. */
static void drop_unread(struct again *w)
{
	for (int i = 0; i < w->prog->n_stmt; i++) {
		bool read = false;

		w->s = w->prog->stmt[i];
		if (!is_map(w))
			continue;
		for (int k = 0; k < w->prog->n_stmt && !read; k++)
			read = k != i && poly_stmt_accesses(w->prog->stmt[k],
				w->s->write_array);
		if (read)
			continue;
		poly_prog_drop_writer(w->prog, w->s);
		i = -1;
	}
}

/* Had the readers of statement "i" better compute what it makes? Then they do. */
static bool try_again(struct again *w, int i)
{
	struct poly_expr *old;
	bool found;

	w->s = w->prog->stmt[i];
	if (w->s->kind != POLY_POINT || !w->s->rhs || !w->s->write_array)
		return false;
	old = w->s->rhs;
	w->s->rhs = through_maps(w, poly_expr_copy(old));
	found = w->s->rhs && is_map(w);
	w->back = found ? written_by(w->s) : NULL;
	found = w->back && is_sooner(w);
	if (found) {
		compute_again(w, i);
		poly_expr_free(old);
		drop_unread(w);
	} else {
		poly_expr_free(w->s->rhs);
		w->s->rhs = old;
	}
	w->back = isl_multi_aff_free(w->back);
	w->at = isl_multi_aff_free(w->at);
	return found;
}

int poly_compute_again(struct poly_prog *prog, const int *group_of)
{
	struct again w = { .prog = prog, .group_of = group_of };

	for (int i = 0; i < prog->n_stmt; i++)
		if (group_of[i] < 0 && try_again(&w, i))
			return 1;
	return 0;
}

bool poly_compute_map(struct poly_prog *prog, struct poly_expr **e,
	struct poly_stmt *map)
{
	struct again w = { .prog = prog, .s = map, .back = written_by(map) };
	bool can;

	poly_expr_each_access(*e, note_read, &w);
	can = w.back && w.n_read && !w.refused;
	if (can)
		*e = computed(&w, *e);
	isl_multi_aff_free(w.back);
	isl_multi_aff_free(w.at);
	return can;
}

/* Sets that are alike but for their names.
 *
 * The statements of a long body mostly have the same instances under names of their
 * own:
 *
 *	{ S1[t, x] : 0 <= t < 100 and 0 <= x < N }
 *	{ S2[t, x] : 0 <= t < 100 and 0 <= x < N }
 *
 * What isl is asked of one of them it need not be asked of the other. Alike are sets
 * whose pieces are written alike, row by row, in the same order, with the same
 * parameters: that is soon told, and all that isl makes of such sets is alike, too. Of
 * sets that are equal, but written in another way, nothing is said.
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>

#include "polyir/base/base.h"

/* "set" without its name. */
static __isl_give isl_set *nameless(__isl_keep isl_set *set)
{
	return isl_set_reset_tuple_id(isl_set_copy(set));
}

/* Has "set" a name for each dimension that has one in "other"? */
static bool has_names_of(__isl_keep isl_set *set, __isl_keep isl_set *other)
{
	isl_size n = isl_set_dim(set, isl_dim_set);

	for (int i = 0; i < n; i++)
		if (isl_set_has_dim_id(other, isl_dim_set, i) != isl_bool_false &&
		    isl_set_has_dim_id(set, isl_dim_set, i) != isl_bool_true)
			return false;
	return true;
}

/* Are "a" and "b", without their names, written alike? */
static bool is_written_alike(__isl_keep isl_set *a, __isl_keep isl_set *b)
{
	isl_size n = isl_set_n_basic_set(a);
	isl_basic_set_list *of_a, *of_b;
	bool same = n > 0 && isl_set_n_basic_set(b) == n &&
		isl_set_has_equal_space(a, b) == isl_bool_true;

	if (!same)
		return false;
	of_a = isl_set_get_basic_set_list(a);
	of_b = isl_set_get_basic_set_list(b);
	for (int i = 0; same && i < n; i++) {
		isl_basic_set *p = isl_basic_set_list_get_basic_set(of_a, i);
		isl_basic_set *q = isl_basic_set_list_get_basic_set(of_b, i);

		same = isl_basic_set_plain_is_equal(p, q) == isl_bool_true;
		isl_basic_set_free(p);
		isl_basic_set_free(q);
	}
	isl_basic_set_list_free(of_a);
	isl_basic_set_list_free(of_b);
	return same;
}

/* Is the pair of sets without names "known" written like "a" and "b"? */
static bool is_answer(const struct poly_answer *known, __isl_keep isl_set *a,
	__isl_keep isl_set *b)
{
	return known->a && has_names_of(a, known->a) &&
		is_written_alike(known->a, a) && is_written_alike(known->b, b);
}

static void forget(struct poly_answer *known)
{
	isl_set_free(known->a);
	isl_set_free(known->b);
	isl_set_free(known->set);
	*known = (struct poly_answer){ .known = false };
}

struct poly_answer *poly_answer_of(struct poly_answers *all,
	__isl_keep isl_set *a, __isl_keep isl_set *b)
{
	isl_set *bare_a = nameless(a), *bare_b = nameless(b);
	struct poly_answer *known;

	for (int i = 0; i < POLY_N_ANSWER; i++)
		if (is_answer(&all->of[i], bare_a, bare_b)) {
			isl_set_free(bare_a);
			isl_set_free(bare_b);
			return &all->of[i];
		}
	known = &all->of[all->next++ % POLY_N_ANSWER];
	forget(known);
	known->a = bare_a;
	known->b = bare_b;
	return known;
}

void poly_answers_free(struct poly_answers *all)
{
	for (int i = 0; i < POLY_N_ANSWER; i++)
		forget(&all->of[i]);
}

__isl_give isl_set *poly_named_like(__isl_take isl_set *set,
	__isl_keep isl_set *other)
{
	isl_size n = isl_set_dim(other, isl_dim_set);

	for (int i = 0; i < n; i++)
		if (isl_set_has_dim_id(other, isl_dim_set, i) == isl_bool_true)
			set = isl_set_set_dim_id(set, isl_dim_set, i,
				isl_set_get_dim_id(other, isl_dim_set, i));
	if (isl_set_has_tuple_id(other) == isl_bool_true)
		set = isl_set_set_tuple_id(set, isl_set_get_tuple_id(other));
	return set;
}

/* ---------------------------------------------------------------- classes */

/* A class: a set and its function without names, and the set with them. */
struct class {
	isl_set *a, *b, *first;
};

/* Sets in classes: set i is of class of[i]. */
struct poly_alikes {
	isl_set **set;
	int *of;
	struct class *class;
	int n, n_class;
	isl_multi_union_pw_aff *at;	/* while they are found */
};

/* The latest classes that a set is compared with: where there are more, each has few
 * sets.
 */
enum { RECENT = 16 };

/* What the functions at->at are on "set", without the name, as a set of pairs. */
static __isl_give isl_set *values_of(const struct poly_alikes *c,
	__isl_keep isl_set *set)
{
	isl_map *map = isl_map_from_multi_pw_aff(
		isl_multi_union_pw_aff_extract_multi_pw_aff(c->at,
			isl_set_get_space(set)));

	return isl_map_wrap(isl_map_reset_tuple_id(map, isl_dim_in));
}

/* Callback: find the class of "set", or let it be the first of a new one. */
static isl_stat classify(__isl_take isl_set *set, void *user)
{
	struct poly_alikes *c = user;
	isl_set *a = nameless(set), *b = values_of(c, set);
	int i = c->n_class, least = i > RECENT ? i - RECENT : 0;
	bool same = false;

	while (!same && i > least) {
		i--;
		same = has_names_of(a, c->class[i].a) &&
			is_written_alike(c->class[i].a, a) &&
			is_written_alike(c->class[i].b, b);
	}
	c->of[c->n] = same ? i : c->n_class;
	c->set[c->n++] = set;
	if (!same) {
		c->class[c->n_class++] = (struct class){ a, b,
			isl_set_copy(set) };
		return isl_stat_non_null(b);
	}
	isl_set_free(a);
	isl_set_free(b);
	return isl_stat_ok;
}

struct poly_alikes *poly_alikes_find(__isl_keep isl_union_set *domain,
	__isl_take isl_multi_union_pw_aff *at)
{
	struct poly_alikes *c = calloc(1, sizeof(*c));
	isl_size n = isl_union_set_n_set(domain);

	if (c && n >= 0) {
		c->at = at;
		c->set = calloc((size_t)n + 1, sizeof(*c->set));
		c->of = calloc((size_t)n + 1, sizeof(*c->of));
		c->class = calloc((size_t)n + 1, sizeof(*c->class));
	}
	if (!c || !c->set || !c->of || !c->class ||
	    isl_union_set_foreach_set(domain, classify, c) < 0) {
		poly_alikes_free(c);
		c = NULL;
	}
	isl_multi_union_pw_aff_free(at);
	return c;
}

void poly_alikes_free(struct poly_alikes *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->n; i++)
		isl_set_free(c->set[i]);
	for (int i = 0; i < c->n_class; i++) {
		isl_set_free(c->class[i].a);
		isl_set_free(c->class[i].b);
		isl_set_free(c->class[i].first);
	}
	free(c->set);
	free(c->of);
	free(c->class);
	free(c);
}

__isl_give isl_union_set *poly_alikes_first(const struct poly_alikes *c,
	__isl_take isl_union_set *domain)
{
	isl_union_set *first = isl_union_set_empty(
		isl_union_set_get_space(domain));

	for (int i = 0; i < c->n_class; i++)
		first = isl_union_set_add_set(first,
			isl_set_copy(c->class[i].first));
	isl_union_set_free(domain);
	return first;
}

__isl_give isl_union_set *poly_alikes_spread(const struct poly_alikes *c,
	__isl_take isl_union_set *first)
{
	isl_union_set *all = isl_union_set_empty(
		isl_union_set_get_space(first));

	for (int i = 0; i < c->n; i++) {
		isl_space *space = isl_space_align_params(isl_set_get_space(
			c->class[c->of[i]].first), isl_union_set_get_space(first));
		isl_set *set = isl_union_set_extract_set(first, space);

		all = isl_union_set_add_set(all,
			poly_named_like(set, c->set[i]));
	}
	isl_union_set_free(first);
	return all;
}

/* Is a set a part of another? isl asks of each piece of the one whether all pieces of the
 * other leave something of it, which takes long where there are hundreds of both. A piece
 * that the other has, too, as it is written, need not be asked about.
 */
#include "polyir/sets/sets.h"

/* All pieces of the other set, and what is left of the one. */
struct pieces {
	isl_basic_set_list *all;
	isl_set *left;
};

/* Keep the piece "one" if none of all is written like it. */
static isl_stat keep(__isl_take isl_basic_set *one, void *user)
{
	struct pieces *p = user;
	isl_size n = isl_basic_set_list_n_basic_set(p->all);
	bool has = false;

	for (int i = 0; !has && i < n; i++) {
		isl_basic_set *other = isl_basic_set_list_get_basic_set(p->all, i);

		has = isl_basic_set_plain_is_equal(one, other) == isl_bool_true;
		isl_basic_set_free(other);
	}
	if (has)
		isl_basic_set_free(one);
	else
		p->left = isl_set_union(p->left, isl_set_from_basic_set(one));
	return isl_stat_ok;
}

isl_bool poly_set_is_part(__isl_keep isl_set *a, __isl_keep isl_set *b)
{
	struct pieces p = { .left = isl_set_empty(isl_set_get_space(a)) };
	isl_bool is = isl_set_plain_is_equal(a, b);

	if (is == isl_bool_false) {
		p.all = isl_set_get_basic_set_list(b);
		is = isl_set_foreach_basic_set(a, keep, &p) < 0 ? isl_bool_error :
			isl_set_is_subset(p.left, b);
	}
	isl_basic_set_list_free(p.all);
	isl_set_free(p.left);
	return is;
}

/* Two unions that are compared, and whether all sets so far are parts. */
struct both {
	isl_union_set *other;
	isl_bool is;
	struct poly_answers answers;
};

static isl_stat ask(__isl_take isl_set *set, void *user)
{
	struct both *both = user;
	isl_set *other = isl_union_set_extract_set(both->other,
		isl_set_get_space(set));

	if (both->is == isl_bool_true) {
		struct poly_answer *of = poly_answer_of(&both->answers, set, other);

		if (!of->known)
			of->is = poly_set_is_part(set, other);
		of->known = true;
		both->is = of->is;
	}
	isl_set_free(set);
	isl_set_free(other);
	return isl_stat_ok;
}

isl_bool poly_union_set_is_part(__isl_keep isl_union_set *a, __isl_keep isl_union_set *b)
{
	struct both both = { .other = isl_union_set_align_params(
		isl_union_set_copy(b), isl_union_set_get_space(a)),
		.is = isl_bool_true };
	isl_union_set *aligned = isl_union_set_align_params(isl_union_set_copy(a),
		isl_union_set_get_space(both.other));

	if (isl_union_set_foreach_set(aligned, ask, &both) < 0)
		both.is = isl_bool_error;
	poly_answers_free(&both.answers);
	isl_union_set_free(aligned);
	isl_union_set_free(both.other);
	return both.is;
}

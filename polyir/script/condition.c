/* Conditions of split: comparisons of sums of loops, sizes and numbers, that "and"
 * joins, such as "i < 5 and 2*j + n >= k".
 *
 *	condition = comparison { ("and" | "&&") comparison }
 *	comparison = sum ("<" | "<=" | ">" | ">=" | "==" | "=") sum
 *	sum = ["-"] term { ("+" | "-") term }
 *	term = NUMBER [["*"] NAME] | NAME ["*" NUMBER]
 *
 * "L2" is the second loop around the statement, as CHiLL has it.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* Digits of a number, which so has less than 31 bits. */
enum { MOST_DIGITS = 9 };

/* The text of a condition, read up to "at", on the loops around "leaf". */
struct reader {
	struct poly_plan *plan;
	struct poly_item *leaf;
	const char *at;
	struct poly_refusal *why;
	bool failed;
};

static void skip_blanks(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

/* Skip blanks, and "word" if that is next; returns whether it was. Words may be
 * the beginning of longer ones: the callers ask for longer signs first.
 */
static bool accept(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(r);
	if (strncmp(r->at, word, n))
		return false;
	r->at += n;
	return true;
}

/* Refuse the condition once, for the first thing that is missing. */
static void fail(struct reader *r, const char *expected)
{
	if (!r->failed)
		poly_refuse(r->why, "the condition needs %s at '%.40s'",
			expected, r->at);
	r->failed = true;
}

static __isl_give isl_pw_aff *zero(const struct reader *r)
{
	return isl_pw_aff_from_aff(isl_aff_zero_on_domain_space(
		isl_set_get_space(r->leaf->stmt->domain)));
}

/* Read the digits at hand, of which there may be nine. */
static int64_t read_number(struct reader *r)
{
	int64_t n = 0;

	for (int i = 0; isdigit((unsigned char)*r->at); i++, r->at++) {
		if (i >= MOST_DIGITS)
			fail(r, "a smaller number");
		else
			n = 10 * n + (*r->at - '0');
	}
	return n;
}

/* Loop number "name", "L1" and so on, around the leaf, or NULL. */
static struct poly_item *numbered(const struct reader *r, const char *name)
{
	struct poly_item *loop[POLY_MOST_LOOPS * 2];
	int n = poly_leaf_loops(r->leaf, loop), i;

	if (name[0] != 'L' || !isdigit((unsigned char)name[1]))
		return NULL;
	i = atoi(name + 1);
	return i >= 1 && i <= n ? loop[i - 1] : NULL;
}

/* The value of a loop or a size. */
static __isl_give isl_pw_aff *read_name(struct reader *r)
{
	char name[POLY_LOOP_TEXT];
	struct poly_item *loop;
	int n = 0;

	while ((isalnum((unsigned char)*r->at) || *r->at == '_') &&
	       n < POLY_LOOP_TEXT - 1)
		name[n++] = *r->at++;
	name[n] = '\0';
	loop = poly_leaf_loop(r->leaf, name);
	loop = loop ? loop : numbered(r, name);
	if (loop)
		return isl_pw_aff_copy(loop->at[r->leaf->number]);
	if (poly_prog_find_param(r->plan->prog, name)) {
		isl_space *space = poly_add_size(isl_set_get_space(
			r->leaf->stmt->domain), name);
		isl_pw_aff *size = isl_pw_aff_from_aff(
			isl_aff_var_on_domain(isl_local_space_from_space(
				isl_space_copy(space)), isl_dim_param,
				isl_space_find_dim_by_name(space,
					isl_dim_param, name)));

		isl_space_free(space);
		return size;
	}
	if (!r->failed)
		poly_refuse(r->why, "'%s' in the condition is no loop around "
			"statement %d and no size", name, r->leaf->number);
	r->failed = true;
	return zero(r);
}

static __isl_give isl_pw_aff *times(__isl_take isl_pw_aff *at, int64_t n)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(at);

	return isl_pw_aff_scale_val(at, isl_val_int_from_si(ctx, n));
}

/* Read a number, a name, or their product, as a function of the leaf's
 * instance. "2j" is a product, too, but "2 and" ends the sum.
 */
static __isl_give isl_pw_aff *read_term(struct reader *r)
{
	skip_blanks(r);
	if (isdigit((unsigned char)*r->at)) {
		int64_t n = read_number(r);
		bool product = accept(r, "*");

		skip_blanks(r);
		if (product || (isalpha((unsigned char)*r->at) &&
		    strncmp(r->at, "and", 3)))
			return times(read_name(r), n);
		return isl_pw_aff_add_constant_val(zero(r),
			isl_val_int_from_si(r->plan->prog->ctx, n));
	}
	if (isalpha((unsigned char)*r->at) || *r->at == '_') {
		isl_pw_aff *at = read_name(r);

		if (!accept(r, "*"))
			return at;
		skip_blanks(r);
		if (!isdigit((unsigned char)*r->at))
			fail(r, "a number");
		return times(at, read_number(r));
	}
	fail(r, "a loop, a size or a number");
	return zero(r);
}

/* Read terms that "+" and "-" join, the first with or without a sign. */
static __isl_give isl_pw_aff *read_sum(struct reader *r)
{
	bool minus = accept(r, "-");
	isl_pw_aff *sum = read_term(r);

	sum = minus ? isl_pw_aff_neg(sum) : sum;
	while (!r->failed) {
		if (accept(r, "+"))
			sum = isl_pw_aff_add(sum, read_term(r));
		else if (accept(r, "-"))
			sum = isl_pw_aff_sub(sum, read_term(r));
		else
			break;
	}
	return sum;
}

/* Read one comparison: the instances of the leaf's statement for which it
 * holds.
 */
static __isl_give isl_set *read_comparison(struct reader *r)
{
	isl_pw_aff *a = read_sum(r), *b;
	static const char *const word[] = { "<=", ">=", "==", "<", ">", "=" };
	int which = 0;

	while (which < 6 && !accept(r, word[which]))
		which++;
	if (which == 6)
		fail(r, "a comparison");
	b = read_sum(r);
	switch (which) {
	case 0:
		return isl_pw_aff_le_set(a, b);
	case 1:
		return isl_pw_aff_ge_set(a, b);
	case 3:
		return isl_pw_aff_lt_set(a, b);
	case 4:
		return isl_pw_aff_gt_set(a, b);
	default:
		return isl_pw_aff_eq_set(a, b);
	}
}

__isl_give isl_set *poly_condition(struct poly_plan *plan,
	struct poly_item *leaf, const char *text, struct poly_refusal *why)
{
	struct reader r = { plan, leaf, text, why, false };
	isl_set *set = read_comparison(&r);

	while (!r.failed && (accept(&r, "&&") || accept(&r, "and")))
		set = isl_set_intersect(set, read_comparison(&r));
	skip_blanks(&r);
	if (*r.at)
		fail(&r, "its end");
	return r.failed ? isl_set_free(set) : set;
}

/* Data-parallel functions: linear functions of loops and sizes.
 *
 * coef * name + .. + constant, with at most FE_PAR_TERMS names.
 */
#include <stdlib.h>

#include "frontend/parallel/par_eval.h"

/* Numbers beyond this are computed as data.
 *
 * A margin below 2^63, so that sums of a few never overflow.
 */
static bool is_large(int64_t a)
{
	return a > FE_MAX_NUMBER || a < -FE_MAX_NUMBER;
}

/* Add "coef" times "s" to "f"; false if there are too many terms or the
 * coefficient gets too large. A term that becomes 0 is dropped.
 *
 * Order of terms does not matter.
 */
static bool add_term(struct fe_par_form *f, struct fe_symbol *s, int64_t coef)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (f->term[k].symbol == s)
			break;
	if (k == FE_PAR_TERMS)
		return false;
	if (k == f->n) {
		f->term[f->n].symbol = s;
		f->term[f->n++].coef = 0;
	}
	f->term[k].coef += coef;
	if (is_large(f->term[k].coef))
		return false;
	if (!f->term[k].coef)
		f->term[k] = f->term[--f->n];
	return true;
}

/* f += scale * g. False leaves "f" half changed: it must not be used then. */
bool fe_par_form_add(struct fe_par_form *f, const struct fe_par_form *g,
	int64_t scale)
{
	int64_t part;
	int k;

	if (is_large(scale) ||
	    __builtin_mul_overflow(g->constant, scale, &part) || is_large(part))
		return false;
	f->constant += part;
	if (is_large(f->constant))
		return false;
	for (k = 0; k < g->n; k++)
		if (__builtin_mul_overflow(g->term[k].coef, scale, &part) ||
		    is_large(part) || !add_term(f, g->term[k].symbol, part))
			return false;
	return true;
}

/* NULL if "s" is no size. Sizes that agree lead to one (rep). */
struct fe_par_size *fe_par_find_size(const struct fe_par *p,
	const struct fe_symbol *s)
{
	struct fe_par_size *size;

	for (size = p->size; size; size = size->next)
		if (size->symbol == s)
			break;
	while (size && size->rep)
		size = size->rep;
	return size;
}

bool fe_par_known(const struct fe_par *p, const struct fe_par_scalar *a,
	int64_t *value)
{
	const struct fe_par_size *size;
	int64_t part;
	int k;

	if (!a->form)
		return false;
	*value = a->form->constant;
	for (k = 0; k < a->form->n; k++) {
		size = fe_par_find_size(p, a->form->term[k].symbol);
		if (!size || !size->given || __builtin_mul_overflow(size->value,
		    a->form->term[k].coef, &part) ||
		    __builtin_add_overflow(*value, part, value))
			return false;
	}
	return true;
}

/* With each size replaced by the one that it agrees with. */
struct fe_par_form fe_par_form_rep(const struct fe_par *p,
	const struct fe_par_form *f)
{
	struct fe_par_form g = { .constant = f->constant };
	const struct fe_par_size *size;
	int k;

	for (k = 0; k < f->n; k++) {
		size = fe_par_find_size(p, f->term[k].symbol);
		add_term(&g, size ? size->symbol : f->term[k].symbol,
			f->term[k].coef);
	}
	return g;
}

/* The depth of the innermost loop that "f" names, and which term that is; -1.
 *
 * Loops are numbered from outside.
 */
static int innermost(const struct fe_par *p, const struct fe_par_form *f,
	int *term)
{
	int depth, k;

	for (depth = p->n_loop - 1; depth >= 0; depth--)
		for (k = 0; k < f->n; k++)
			if (f->term[k].symbol == p->loop[depth].symbol) {
				*term = k;
				return depth;
			}
	return -1;
}

/* The least value over all positions: a positive coefficient takes 0, a
 * negative one the last position, length - 1. From the innermost loop outwards,
 * since lengths may name outer loops. False if a length is no form.
 */
bool fe_par_form_least(const struct fe_par *p, const struct fe_par_form *f,
	struct fe_par_form *least)
{
	const struct fe_par_form *length;
	int64_t coef;
	int depth, k = 0;

	*least = *f;
	while ((depth = innermost(p, least, &k)) >= 0) {
		coef = least->term[k].coef;
		least->term[k] = least->term[--least->n];
		if (coef > 0)
			continue;
		length = p->loop[depth].length->form;
		if (!length || !fe_par_form_add(least, length, coef))
			return false;
		least->constant -= coef;
	}
	*least = fe_par_form_rep(p, least);
	return true;
}

/* Sufficient, not necessary: sizes are at least 0. */
bool fe_par_form_natural(const struct fe_par_form *f)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (f->term[k].coef < 0)
			return false;
	return f->constant >= 0;
}

/* As a user would write it: 2*n-m+1. */
void fe_par_form_print(const struct fe_par_form *f, struct poly_str *out)
{
	int k;

	for (k = 0; k < f->n; k++) {
		int64_t c = f->term[k].coef;

		poly_str_add(out, c < 0 ? "-" : k ? "+" : "");
		if (llabs(c) != 1)
			poly_str_printf(out, "%lld*", llabs(c));
		poly_str_printf(out, "%s", f->term[k].symbol->name);
	}
	if (!f->n)
		poly_str_printf(out, "%lld", (long long)f->constant);
	else if (f->constant)
		poly_str_printf(out, "%s%lld", f->constant > 0 ? "+" : "",
			(long long)f->constant);
}

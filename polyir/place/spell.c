/* The text of a layout, and back. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/place/place.h"

static const char *const coordinate_name[POLY_N_AT] = {
	"cluster", "thread", "reg", "byte"
};

/* ------------------------------------------------------------------ printing */

static void print_ints(const int *v, int n, struct poly_str *out)
{
	poly_str_add(out, " [");
	for (int i = 0; i < n; i++)
		poly_str_printf(out, "%s%d", i ? ", " : "", v[i]);
	poly_str_add(out, "]");
}

static bool is_zero(const int *v, int n)
{
	for (int i = 0; i < n; i++)
		if (v[i])
			return false;
	return true;
}

/* Add the bits of the byte that are not the same bit of the address, such as "
 * swizzle 4=4^7": bit 4 is the exclusive or of bits 4 and 7. Nothing is added
 * if there are none.
 */
static void print_swizzle(const uint32_t *swizzle, struct poly_str *out)
{
	const char *before = " swizzle";

	for (int i = 0; i < POLY_SWIZZLE_BIT; i++) {
		char sign = '=';

		if (swizzle[i] == 1u << i)
			continue;
		poly_str_printf(out, "%s %d", before, i);
		for (int k = 0; k < POLY_SWIZZLE_BIT; k++)
			if (swizzle[i] >> k & 1) {
				poly_str_printf(out, "%c%d", sign, k);
				sign = '^';
			}
		before = "";
	}
}

void poly_layout_print(const struct poly_layout *l, struct poly_str *out)
{
	poly_str_add(out, "box");
	print_ints(l->extent, l->n_dim, out);
	if (!is_zero(l->origin, l->n_dim)) {
		poly_str_add(out, " from");
		print_ints(l->origin, l->n_dim, out);
	}
	for (int i = 0; i < POLY_N_AT; i++)
		if (l->base[i])
			poly_str_printf(out, " base %s %d", coordinate_name[i],
				l->base[i]);
	for (int i = 0; i < l->n_digit; i++) {
		const struct poly_digit *d = &l->digit[i];

		poly_str_printf(out, " %s %d", poly_place_name(d->place),
			d->radix);
		if (d->weight != 1)
			poly_str_printf(out, "*%d", d->weight);
		print_ints(d->step, l->n_dim, out);
	}
	print_swizzle(l->swizzle, out);
}

/* ------------------------------------------------------------------- reading */

/* What is left of the text; "ok" until something is wrong with it. */
struct reader {
	const char *at;
	bool ok;
};

static void skip(struct reader *r)
{
	while (*r->at == ' ')
		r->at++;
}

/* Is "text", a sign or a word, next? It is read then. */
static bool next_is(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	skip(r);
	if (!r->ok || strncmp(r->at, text, n) ||
	    (isalpha((unsigned char) *text) &&
	     isalnum((unsigned char) r->at[n])))
		return false;
	r->at += n;
	return true;
}

static void expect(struct reader *r, const char *text)
{
	r->ok = r->ok && next_is(r, text);
}

/* A number from "least" on, of at most nine digits. */
static int number(struct reader *r, int least)
{
	const char *from;
	int value = 0, sign = 1;

	skip(r);
	from = r->at;
	if (r->ok && least < 0 && *from == '-') {
		sign = -1;
		from++;
	}
	for (int i = 0; i < 9 && isdigit((unsigned char) from[i]); i++)
		value = 10 * value + from[i] - '0';
	r->ok = r->ok && isdigit((unsigned char) *from) && sign * value >= least;
	for (int i = 0; r->ok && isdigit((unsigned char) *from); i++, from++)
		r->ok = i < 9;
	if (r->ok)
		r->at = from;
	return r->ok ? sign * value : 0;
}

/* "n" numbers in brackets; their number, if "n" is negative. */
static int read_ints(struct reader *r, int *v, int n, int least)
{
	int count = 0;

	expect(r, "[");
	while (r->ok && !next_is(r, "]")) {
		if (count)
			expect(r, ",");
		r->ok &= count < (n < 0 ? POLY_LAYOUT_DIM : n);
		if (r->ok)
			v[count++] = number(r, least);
	}
	r->ok &= n < 0 || count == n;
	return count;
}

/* Read which coordinate has a base other than 0, and that. */
static void read_base(struct reader *r, struct poly_layout *l)
{
	int at = 0;

	while (at < POLY_N_AT && !next_is(r, coordinate_name[at]))
		at++;
	r->ok &= at < POLY_N_AT;
	if (r->ok)
		l->base[at] = number(r, 0);
}

/* Read one digit: its place, its radix, its weight (1 if there is none) and its
 * step along each dimension. False where no place is next, which is the end of
 * the digits and no error.
 */
static bool read_digit(struct reader *r, struct poly_layout *l)
{
	int place = 0, radix, weight = 1, step[POLY_LAYOUT_DIM] = { 0 };

	while (place < POLY_N_PLACE &&
	       !next_is(r, poly_place_name((enum poly_place) place)))
		place++;
	if (place == POLY_N_PLACE)
		return false;
	radix = number(r, 1);
	if (next_is(r, "*"))
		weight = number(r, 1);
	read_ints(r, step, l->n_dim, INT32_MIN);
	r->ok &= l->n_digit < POLY_LAYOUT_DIGIT;
	if (r->ok)
		poly_layout_add(l, (enum poly_place) place, radix, weight,
			step);
	return r->ok;
}

static int read_bit(struct reader *r)
{
	int bit = number(r, 0);

	r->ok &= bit < POLY_SWIZZLE_BIT;
	return r->ok ? bit : 0;
}

/* Read the bits that a swizzle changes, to the end of the text. */
static void read_swizzle(struct reader *r, struct poly_layout *l)
{
	do {
		int to = read_bit(r);

		expect(r, "=");
		l->swizzle[to] = 0;
		do
			l->swizzle[to] ^= 1u << read_bit(r);
		while (next_is(r, "^"));
		skip(r);
	} while (r->ok && *r->at);
}

struct poly_layout *poly_layout_parse(const char *text, const char **wrong)
{
	struct reader r = { text, true };
	int extent[POLY_LAYOUT_DIM] = { 0 }, n;
	struct poly_layout *l;

	expect(&r, "box");
	n = read_ints(&r, extent, -1, 0);
	l = r.ok ? poly_layout_alloc(n, extent) : NULL;
	if (l && next_is(&r, "from"))
		read_ints(&r, l->origin, n, INT32_MIN);
	while (l && next_is(&r, "base"))
		read_base(&r, l);
	while (l && r.ok && read_digit(&r, l))
		;
	if (l && next_is(&r, "swizzle"))
		read_swizzle(&r, l);
	skip(&r);
	r.ok &= !*r.at;
	*wrong = r.at;
	return r.ok ? poly_layout_normal(l) : poly_layout_free(l);
}

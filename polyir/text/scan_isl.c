/* Quoted isl objects, checked before isl reads them.
 *
 * Only what isl's printer writes may stand in quotes: names, numbers of at
 * most 18 digits, brackets nested at most 64 deep, and the operators of
 * affine constraints; no powers.
 */
#include <ctype.h>
#include <string.h>

#include "polyir/text/text.h"

/* Check brackets, operators and characters at "p"; "*depth" counts open
 * brackets.
 */
static bool check_char(struct poly_scan *s, const char *p, int *depth)
{
	if (!isalnum((unsigned char)*p) &&
	    !strchr("_' []{}()<>=:;,+-*/", *p))
		return poly_scan_error(s,
			"'%c' cannot stand in a set or a function",
			isprint((unsigned char)*p) ? *p : '?');
	if (p[0] == '*' && p[1] == '*')
		return poly_scan_error(s, "powers are not allowed");
	if (strchr("[{(", *p))
		++*depth;
	if (strchr("]})", *p))
		--*depth;
	if (*depth > POLY_NEST_MAX)
		return poly_scan_limit(s, "brackets are nested deeper than %d",
			POLY_NEST_MAX);
	if (*depth < 0)
		return poly_scan_error(s, "a bracket is not opened");
	return true;
}

/* Check the text of an isl object. */
static bool check_text(struct poly_scan *s, const char *text, size_t len)
{
	size_t i, digits = 0;
	int depth = 0;

	if (strlen(text) != len)
		return poly_scan_error(s, "unexpected character");
	if (len > POLY_QUOTE_MAX)
		return poly_scan_limit(s, "a set has more than %d bytes",
			POLY_QUOTE_MAX);
	for (i = 0; i < len; i++) {
		digits = isdigit((unsigned char)text[i]) ? digits + 1 : 0;
		if (digits > POLY_DIGITS_MAX)
			return poly_scan_limit(s,
				"a number has more than %d digits",
				POLY_DIGITS_MAX);
		if (!check_char(s, text + i, &depth))
			return false;
	}
	if (depth)
		return poly_scan_error(s, "a bracket is not closed");
	if (!strchr(text, '{'))
		return poly_scan_error(s, "expected \"{\"");
	return true;
}

const char *poly_scan_isl(struct poly_scan *s, const char *what)
{
	const struct poly_token *t = poly_scan_peek(s);

	if (t->kind == POLY_TOKEN_STRING && !check_text(s, t->text, t->len))
		return NULL;
	return poly_scan_string(s, what);
}

/* Report that isl did not read the text just taken; returns NULL. */
static void *refuse(struct poly_scan *s)
{
	const char *why = isl_ctx_last_error_msg(s->ctx);

	s->pos--;
	poly_scan_error(s, "isl does not read this: %s",
		why ? why : "it is of another kind");
	isl_ctx_reset_error(s->ctx);
	return NULL;
}

__isl_give isl_set *poly_scan_set(struct poly_scan *s)
{
	const char *text = poly_scan_isl(s, "a set in quotes");
	isl_set *set;

	if (!text)
		return NULL;
	set = isl_set_read_from_str(s->ctx, text);
	return set ? set : refuse(s);
}

__isl_give isl_map *poly_scan_map(struct poly_scan *s)
{
	const char *text = poly_scan_isl(s, "a map in quotes");
	isl_map *map;

	if (!text)
		return NULL;
	map = isl_map_read_from_str(s->ctx, text);
	return map ? map : refuse(s);
}

__isl_give isl_multi_pw_aff *poly_scan_index(struct poly_scan *s)
{
	const char *text = poly_scan_isl(s, "a function in quotes");
	isl_multi_pw_aff *index;

	if (!text)
		return NULL;
	index = isl_multi_pw_aff_read_from_str(s->ctx, text);
	return index ? index : refuse(s);
}

__isl_give isl_multi_aff *poly_scan_point(struct poly_scan *s)
{
	const char *text = poly_scan_isl(s, "a function in quotes");
	isl_multi_aff *at;

	if (!text)
		return NULL;
	at = isl_multi_aff_read_from_str(s->ctx, text);
	return at ? at : refuse(s);
}

__isl_give isl_pw_aff *poly_scan_size(struct poly_scan *s)
{
	const char *text = poly_scan_isl(s, "a size in quotes");
	isl_pw_aff *size;

	if (!text)
		return NULL;
	size = isl_pw_aff_read_from_str(s->ctx, text);
	return size ? size : refuse(s);
}

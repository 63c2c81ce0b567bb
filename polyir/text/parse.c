/* The text of a program -> the program; README.md gives the grammar.
 *
 * A recursive reader over the lines and tokens of scan.c. The first error ends
 * it. What the text can say but a program may not be is left to poly_verify,
 * which runs on the result.
 *
 * Why a text at all: every pass can be tested by itself, --roundtrip proves
 * that nothing hides outside of the text, and a bug report is a file. So each
 * record of ir.h has its line here and in print.c; a field that the text lacks
 * would be lost by poly_copy. Statements are read by parse_stmt.c, their values by
 * parse_expr.c.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/text/parse.h"
#include "polyir/legal/legal.h"

bool poly_replace_text(char **where, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (!copy)
		return false;
	free(*where);
	*where = copy;
	return true;
}

/* Read the version of the format and the names of program and file.
 *
 * The number after the word is the format's version: it changes when a text of
 * the old form would mean something else.
 */
static void parse_head(struct poly_parser *p)
{
	struct poly_scan *s = &p->scan;
	const char *text;

	if (!poly_scan_line(s) || !poly_scan_accept(s, "cetane-poly") ||
	    !poly_scan_accept(s, "1")) {
		poly_scan_error(s, "expected \"cetane-poly 1\"");
		return;
	}
	poly_scan_line(s);
	if (!poly_scan_expect(s, "program"))
		return;
	text = poly_scan_string(s, "the program's name in quotes");
	poly_replace_text(&p->prog->name, text);
	if (!poly_scan_expect(s, "file"))
		return;
	text = poly_scan_string(s, "the file's name in quotes");
	poly_replace_text(&p->prog->file, text);
	poly_scan_line(s);
}

/* What the last size, if it is hidden, is a share of. Behind it are hidden ones
 * only.
 *
 * "parts of N", "steps of K", "first 0 of M behind".
 */
static void parse_hidden(struct poly_parser *p, struct poly_param *param)
{
	struct poly_scan *s = &p->scan;
	struct poly_prog *prog = p->prog;
	const struct poly_param *of;
	int64_t axis = 0;

	if (poly_scan_accept(s, "parts"))
		param->hidden = POLY_PARTS;
	else if (poly_scan_accept(s, "steps"))
		param->hidden = POLY_STEPS;
	else if (poly_scan_accept(s, "first") &&
	    poly_scan_int(s, "an axis", 0, 1, &axis))
		param->hidden = POLY_FIRST_0 + axis;
	if (param->hidden == POLY_KNOWN) {
		if (prog->n_hidden)
			poly_scan_error(s, "expected a hidden size");
		return;
	}
	prog->n_hidden++;
	poly_scan_expect(s, "of");
	of = poly_prog_find_param(prog, poly_scan_peek(s)->text);
	if (!of || of->hidden != POLY_KNOWN) {
		poly_scan_error(s, "expected the name of a size");
		return;
	}
	param->of = of - prog->param;
	poly_scan_word(s, "a size");
	param->behind = param->hidden >= POLY_FIRST_0 &&
		poly_scan_accept(s, "behind");
}

/* Read one size: its name, its value if it is fixed, what it is a share of.
 *
 * param N = 1024 loc 3:5:1
 */
static void parse_param(struct poly_parser *p)
{
	struct poly_scan *s = &p->scan;
	const struct poly_token *t;
	struct poly_param *param;

	poly_scan_accept(s, "param");
	t = poly_scan_peek(s);
	param = poly_prog_add_param(p->prog, t->text);
	if (!param) {
		poly_scan_error(s, "expected a new name");
		return;
	}
	poly_scan_word(s, "a name");
	if (poly_scan_accept(s, "="))
		param->fixed = poly_scan_int(s, "a size", 0, INT64_MAX,
			&param->value);
	parse_hidden(p, param);
	poly_scan_loc(s, &param->loc);
	poly_scan_line(s);
}

/* Read the constraints on the sizes, a set without dimensions of its own.
 *
 * [M,N] -> { : M >= 1 and N >= 1 }
 */
static void parse_context(struct poly_parser *p)
{
	struct poly_scan *s = &p->scan;
	isl_set *set;

	if (!poly_scan_expect(s, "context"))
		return;
	set = poly_scan_set(s);
	if (set && !isl_set_is_params(set)) {
		s->pos--;
		poly_scan_error(s, "expected a set of parameters");
	}
	isl_set_free(p->prog->context);
	p->prog->context = set;
	poly_scan_line(s);
}

/* Read the floating-point class; a text without the line means the default. */
static void parse_fp(struct poly_parser *p)
{
	static const char *const fp[] = {
		"strict", "reassoc", "relaxed", NULL
	};
	struct poly_scan *s = &p->scan;

	if (!poly_scan_is(s, "fp"))
		return;
	poly_scan_accept(s, "fp");
	p->prog->fp = (enum poly_fp)poly_scan_choice(s, fp,
		"strict, reassoc or relaxed");
	poly_scan_line(s);
}

/* Read one array; a failure leaves the scanner failed, which ends the reading.
 *
 * array A f32 input global "[M,K] -> { A[(M),(K)] }" pad 8. The name in the
 * extent is checked by poly_verify.
 */
static void parse_array(struct poly_parser *p)
{
	static const char *const role[] = {
		"input", "output", "inout", "temp", NULL
	};
	static const char *const space[] = {
		"global", "shared", "register", NULL
	};
	struct poly_scan *s = &p->scan;
	struct poly_token name;
	struct poly_array *array;
	isl_multi_pw_aff *extent;
	enum poly_type type;
	int r, where;

	poly_scan_accept(s, "array");
	name = *poly_scan_peek(s);
	poly_scan_word(s, "a name");
	type = poly_parse_type(s);
	r = poly_scan_choice(s, role, "input, output, inout or temp");
	where = poly_scan_choice(s, space, "global, shared or register");
	extent = poly_scan_index(s);
	if (!extent)
		return;
	array = poly_prog_add_array(p->prog, name.text, type, (enum poly_role)r,
		extent);
	if (!array) {
		s->pos = 1;
		poly_scan_error(s, "expected a new name");
		return;
	}
	array->space = (enum poly_space)where;
	if (poly_scan_accept(s, "pad"))
		poly_scan_small(s, "a padding", 0, 1 << 20, &array->row_pad);
	array->swizzled = poly_scan_accept(s, "swizzled");
	poly_parse_layout(s, p->prog, array);
	poly_scan_loc(s, &array->loc);
	poly_scan_line(s);
}

/* Read the dependences; relations that the text does not have become empty.
 *
 * A text without the section has a program before "deps": all are NULL then.
 */
static void parse_deps(struct poly_parser *p)
{
	static const char *const word[] = {
		"flow", "anti", "output", "reduction", "rar", NULL
	};
	struct poly_deps *deps = &p->prog->deps;
	struct poly_scan *s = &p->scan;
	isl_union_map **relation[] = {
		&deps->flow, &deps->anti, &deps->output, &deps->reduction,
		&deps->rar,
	};
	int i;

	if (!poly_scan_is(s, "deps"))
		return;
	poly_scan_accept(s, "deps");
	poly_scan_line(s);
	for (i = 0; i < 5; i++) {
		*relation[i] = isl_union_map_empty(
			isl_space_params_alloc(p->prog->ctx, 0));
		while (poly_begin_detail(s, word[i])) {
			*relation[i] = isl_union_map_union(*relation[i],
				isl_union_map_from_map(poly_scan_map(s)));
			poly_scan_line(s);
		}
	}
}

/* Read the facts that the passes have established (have.def).
 *
 * What is not listed has not been done: passes run again from there.
 */
static void parse_have(struct poly_parser *p)
{
	static const char *const word[] = {
#define HAVE(id, name, text) name,
#include "polyir/ir/have.def"
#undef HAVE
		NULL
	};
	struct poly_scan *s = &p->scan;
	int i;

	if (!poly_scan_is(s, "have"))
		return;
	poly_scan_accept(s, "have");
	while (!s->failed && s->pos < s->n_token) {
		i = poly_scan_choice(s, word, "what the passes have done");
		if (i >= 0)
			p->prog->have |= 1u << i;
	}
	poly_scan_line(s);
}

/* Read the sections in the order of printing.
 *
 * A section that is not there is left out without a word if a program can lack
 * it.
 */
static void parse_program(struct poly_parser *p)
{
	struct poly_scan *s = &p->scan;

	parse_head(p);
	while (poly_scan_is(s, "param"))
		parse_param(p);
	parse_context(p);
	parse_fp(p);
	while (poly_scan_is(s, "array"))
		parse_array(p);
	while (poly_scan_is(s, "stmt"))
		poly_parse_stmt(p);
	if (!s->failed)
		poly_resolve_members(p);
	while (poly_scan_is(s, "kernel"))
		poly_parse_kernel(&p->scan, p->prog);
	parse_deps(p);
	parse_have(p);
	if (poly_scan_is(s, "original"))
		p->prog->original = poly_parse_tree(s);
	p->tree = poly_scan_peek(s)->loc;
	if (poly_scan_is(s, "schedule"))
		p->prog->schedule = poly_parse_tree(s);
	if (!s->failed && !s->at_end)
		poly_scan_error(s, "unexpected \"%.40s\"",
			poly_scan_peek(s)->text);
}

/* Check the program. What poly_verify says of the tree gets the tree's place,
 * the rest that of the whole text.
 *
 * Messages of poly_verify have the places of the source; here the text is the
 * source.
 */
static bool verify(struct poly_parser *p)
{
	const struct poly_loc whole = { 1, 1, 1 };
	struct poly_report *r = p->scan.report;
	int i, before = r->n_msg;

	if (poly_verify(p->prog, "reading") == isl_stat_ok)
		return true;
	for (i = before; i < r->n_msg; i++)
		r->msg[i].loc = r->msg[i].number == MSG_POLY_TREE ?
			p->tree : whole;
	return false;
}

/* Read "len" bytes of text. The program's places are those that the text
 * states; the messages' places are in the text.
 *
 * NULL, reported, if the text is not that of a program. The program holds no
 * references into "text".
 */
struct poly_prog *poly_parse(isl_ctx *ctx, const char *text, size_t len,
	struct poly_report *report)
{
	struct poly_parser p = { 0 };
	bool ok;
	int i;

	p.prog = poly_prog_alloc(ctx, "", report);
	ok = p.prog && poly_scan_start(&p.scan, ctx, text, len, report);
	if (ok) {
		parse_program(&p);
		ok = !p.scan.failed && verify(&p);
	}
	for (i = 0; i < p.n_member; i++)
		free(p.member[i].name);
	free(p.member);
	poly_scan_free(&p.scan);
	return ok ? p.prog : poly_prog_free(p.prog);
}

/* A statement from its text: a line for itself, and indented ones for its details.
 *
 *	stmt S point "{ S[i] : 0 <= i <= 7 }" loc 3:5:1
 *	  write A "{ S[i] -> A[i] }"
 *	  value (const f32 1)
 *
 * Details come in one order, so that one program has one text. Members of tile
 * operations may come behind these in the text; so they are names until all statements
 * are there.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/text/parse.h"

bool poly_begin_detail(struct poly_scan *s, const char *word)
{
	return s->indent == 2 && poly_scan_is(s, word) &&
		poly_scan_accept(s, word);
}

/* Read the lines "write" and "value", which only point statements have.
 *
 * write C "{ S[i,j,k] -> C[i,j] }" reduce add
 */
static void parse_write(struct poly_parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	enum poly_op reduce = POLY_OP_NONE;
	struct poly_array *array;
	isl_multi_pw_aff *index;

	if (!poly_begin_detail(s, "write"))
		return;
	array = poly_parse_array_name(p);
	index = poly_scan_index(s);
	if (poly_scan_accept(s, "reduce")) {
		reduce = poly_op_find(poly_scan_peek(s)->text);
		if (poly_op_n_arg(reduce) != 2)
			poly_scan_error(s, "expected an operator");
		poly_scan_word(s, "an operator");
	}
	/* without a value yet; poly_verify would refuse it, should the next
	 * line be missing
	 */
	poly_stmt_set_write(stmt, array, index, reduce, NULL);
	if (poly_scan_accept(s, "across")) {
		poly_scan_small(s, "threads", 1, POLY_MOST_THREADS, &stmt->across);
		stmt->down = poly_scan_accept(s, "down");
	}
	stmt->ordered = poly_scan_accept(s, "ordered");
	stmt->atomic = poly_scan_accept(s, "atomic");
	stmt->fold = poly_scan_accept(s, "fold");
	stmt->async = poly_scan_accept(s, "async");
	poly_scan_line(s);
	if (!poly_begin_detail(s, "value")) {
		poly_scan_error(s, "expected \"value\"");
		return;
	}
	stmt->rhs = poly_parse_expr(p, 1);
	if (array && poly_is_scatter(stmt))
		array->scattered = true;
	poly_scan_line(s);
}

/* Note that "stmt" has the member whose name is the next token.
 *
 * Members may come behind their operation, so it is a name for now.
 */
static void note_member(struct poly_parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	int cap = p->cap ? 2 * p->cap : 16;
	struct poly_member *bigger, m = { .owner = stmt };

	if (p->n_member == p->cap) {
		bigger = realloc(p->member, (size_t)cap * sizeof(*bigger));
		if (!bigger) {
			poly_scan_limit(s, "out of memory");
			return;
		}
		p->member = bigger;
		p->cap = cap;
	}
	m.loc = poly_scan_peek(s)->loc;
	if (poly_replace_text(&m.name, poly_scan_word(s, "a statement")))
		p->member[p->n_member++] = m;
}

/* Read the members of a tile operation, which may be none yet.
 *
 * A contraction may take several lines, one for each member; printing does so
 * as lines have a limit.
 */
static void parse_members(struct poly_parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	isl_map *map;

	if (stmt->kind != POLY_POINT && stmt->kind != POLY_SYNC)
		stmt->contraction = isl_union_map_empty(
			isl_space_params_alloc(p->prog->ctx, 0));

	if (poly_begin_detail(s, "member")) {
		do
			note_member(p, stmt);
		while (!s->failed && s->pos < s->n_token);
		poly_scan_line(s);
	}
	while (poly_begin_detail(s, "contraction")) {
		map = poly_scan_map(s);
		if (!stmt->contraction) {
			poly_scan_error(s, "only a tile operation has this");
			isl_map_free(map);
			return;
		}
		stmt->contraction = isl_union_map_union(stmt->contraction,
			isl_union_map_from_map(map));
		poly_scan_line(s);
	}
}

/* The buffers of a contraction; a read that has none is left out.
 *
 * A gap in the reads is told by "read N"; so "i" may jump forward, never back.
 */
static void parse_operands(struct poly_parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;

	for (int i = 0; i < POLY_MAX_OPERAND && poly_begin_detail(s, "operand");
	     i++) {
		struct poly_array *buffer = poly_parse_array_name(p);
		isl_multi_pw_aff *index = poly_scan_index(s);

		if (poly_scan_accept(s, "read"))
			poly_scan_small(s, "a read", i, POLY_MAX_OPERAND - 1, &i);
		stmt->operand[i] = buffer;
		stmt->operand_index[i] = index;
		poly_scan_line(s);
	}
}

/* The axes of the lines that an operation stands on. */
static void parse_along(struct poly_parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	int axis = 0;

	if (!poly_begin_detail(s, "along"))
		return;
	do {
		poly_scan_small(s, "an axis", 0, 1, &axis);
		stmt->along |= 1u << axis;
	} while (!s->failed && s->pos < s->n_token);
	poly_scan_line(s);
}

/* Read what the statement's further lines say, in the order of printing.
 *
 * The order is fixed, so that one program has one text.
 */
static void parse_details(struct poly_parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;

	parse_write(p, stmt);
	if (poly_begin_detail(s, "at")) {
		stmt->at = poly_scan_point(s);
		poly_scan_line(s);
	}
	parse_members(p, stmt);
	parse_operands(p, stmt);
	if (poly_begin_detail(s, "full")) {
		/* only of a CONTRACT; poly_verify refuses it elsewhere */
		stmt->full = true;
		poly_scan_line(s);
	}
	if (poly_begin_detail(s, "with")) {
		stmt->with = poly_scan_above(s, p->prog);
		poly_scan_line(s);
	}
	if (poly_begin_detail(s, "fill")) {
		poly_scan_number(s, &stmt->fill);
		if (poly_scan_expect(s, "coalesce"))
			poly_scan_small(s, "a dimension", 0, 1, &stmt->coalesce);
		stmt->async = poly_scan_accept(s, "async");
		stmt->bulk = stmt->async && poly_scan_accept(s, "bulk");
		poly_scan_line(s);
	}
	parse_along(p, stmt);
	if (poly_begin_detail(s, "wait")) {
		stmt->wait = poly_scan_above(s, p->prog);
		if (poly_scan_expect(s, "ahead"))
			poly_scan_small(s, "a number", 0, 1024, &stmt->ahead);
		poly_scan_line(s);
	}
}

void poly_parse_stmt(struct poly_parser *p)
{
	static const char *const kind[] = {
		"point", "copy", "contract", "group", "reduce",
		"scan", "sync", NULL
	};
	struct poly_scan *s = &p->scan;
	struct poly_stmt *stmt;
	struct poly_token name;
	isl_set *domain;
	int k;

	poly_scan_accept(s, "stmt");
	name = *poly_scan_peek(s);
	poly_scan_word(s, "a name");
	k = poly_scan_choice(s, kind, "a kind of statement");
	domain = poly_scan_set(s);
	if (!domain)
		return;
	stmt = poly_prog_add_stmt(p->prog, name.text, (enum poly_kind)k,
		domain);
	if (!stmt) {
		s->pos = 1;
		poly_scan_error(s, "expected a new name");
		return;
	}
	poly_scan_loc(s, &stmt->loc);
	poly_scan_line(s);
	parse_details(p, stmt);
}

void poly_resolve_members(struct poly_parser *p)
{
	struct poly_stmt *member;
	int i;

	for (i = 0; i < p->n_member; i++) {
		const struct poly_member *m = &p->member[i];

		member = poly_prog_find_stmt(p->prog, m->name);
		if (member) {
			poly_stmt_add_member(m->owner, member);
			continue;
		}
		poly_report_add(p->scan.report, MSG_POLY_SYNTAX, &m->loc,
			"no statement has this name");
		p->scan.failed = true;
		return;
	}
}

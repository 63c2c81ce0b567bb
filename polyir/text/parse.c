/* The text of a program -> the program; README.md gives the grammar.
 *
 * A recursive reader over the lines and tokens of scan.c. The first error ends
 * it. What the text can say but a program may not be is left to poly_verify,
 * which runs on the result.
 *
 * Why a text at all: every pass can be tested by itself, --roundtrip proves
 * that nothing hides outside of the text, and a bug report is a file. So each
 * record of ir.h has its line here and in print.c; a field that the text lacks
 * would be lost by poly_copy.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/legal/legal.h"

/* "owner" has the member "name", a statement that may come later.
 *
 * "name" is owned; resolve_members looks for it when all statements have been
 * read.
 */
struct member {
	struct poly_stmt *owner;
	char *name;
	struct poly_loc loc;
};

/* "tree" is where messages about the schedule point to. */
struct parser {
	struct poly_scan scan;
	struct poly_prog *prog;
	struct member *member;
	int n_member, cap;
	struct poly_loc tree;	/* of the word "schedule" */
};

/* Take the name of an element type; POLY_N_TYPE, reported, if there is none.
 *
 * The word stays where it is if it is none, so that the message points to it.
 */
static enum poly_type read_type(struct poly_scan *s)
{
	enum poly_type t = poly_type_find(poly_scan_peek(s)->text);

	if (t == POLY_N_TYPE)
		poly_scan_error(s, "expected a type");
	else
		poly_scan_word(s, "a type");
	return t;
}

/* Arrays come before statements in the text, so it must be there. */
static struct poly_array *read_array(struct parser *p)
{
	struct poly_scan *s = &p->scan;
	struct poly_array *array;

	array = poly_prog_find_array(p->prog, poly_scan_peek(s)->text);
	if (s->failed || !array) {
		poly_scan_error(s, "expected the name of an array");
		return NULL;
	}
	poly_scan_word(s, "an array");
	return array;
}

/* Let "*where" own a copy of "text"; without text or memory it stays.
 *
 * Used for names that poly_prog_alloc has set already.
 */
static bool replace_text(char **where, const char *text)
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
static void parse_head(struct parser *p)
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
	replace_text(&p->prog->name, text);
	if (!poly_scan_expect(s, "file"))
		return;
	text = poly_scan_string(s, "the file's name in quotes");
	replace_text(&p->prog->file, text);
	poly_scan_line(s);
}

/* What the last size, if it is hidden, is a share of. Behind it are hidden ones
 * only.
 *
 * "parts of N", "steps of K", "first 0 of M behind".
 */
static void parse_hidden(struct parser *p, struct poly_param *param)
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
static void parse_param(struct parser *p)
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
static void parse_context(struct parser *p)
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
static void parse_fp(struct parser *p)
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
static void parse_array(struct parser *p)
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
	type = read_type(s);
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
	poly_parse_stride(s, p->prog, array);
	poly_scan_loc(s, &array->loc);
	poly_scan_line(s);
}

static struct poly_expr *parse_expr(struct parser *p, int depth);

/* Read a constant, an index, a cast and the like: each names a type first. A cast to the
 * type that is there already would not come back from printing.
 */
static struct poly_expr *parse_typed(struct parser *p, enum poly_op op,
	int depth)
{
	enum poly_type type = read_type(&p->scan);
	struct poly_expr *e = NULL;
	double value;
	int loop;

	if (p->scan.failed)
		return NULL;
	if (op == POLY_OP_CONST) {
		if (poly_scan_number(&p->scan, &value))
			e = poly_expr_const(type, value);
		return e;
	}
	if (op == POLY_OP_INDEX)
		return poly_expr_index(type, poly_scan_index(&p->scan));
	if (op == POLY_OP_STEP || op == POLY_OP_CARRY)
		return !poly_scan_small(&p->scan, "a loop", 0,
			POLY_MAX_LOOP - 1, &loop) ? NULL : op == POLY_OP_STEP ?
			poly_expr_step(loop) : poly_expr_carry(loop, type);
	if (op == POLY_OP_LEFT || op == POLY_OP_RIGHT)
		return poly_expr_side(op, type);
	if (op == POLY_OP_PART)
		return poly_scan_small(&p->scan, "a word", 0,
			POLY_MOST_WORDS - 1, &loop) ? poly_expr_part(type, loop,
			parse_expr(p, depth + 1)) : NULL;
	e = parse_expr(p, depth + 1);
	if (e && e->type == type) {
		poly_scan_error(&p->scan, "the cast changes nothing");
		return poly_expr_free(e);
	}
	return poly_expr_cast(type, e);
}

/* Read a size parameter or an access. */
static struct poly_expr *parse_leaf(struct parser *p, enum poly_op op)
{
	struct poly_scan *s = &p->scan;
	struct poly_array *array;

	if (op == POLY_OP_ACCESS) {
		array = read_array(p);
		return array ? poly_expr_access(array, poly_scan_index(s)) :
			NULL;
	}
	if (!poly_prog_find_param(p->prog, poly_scan_peek(s)->text)) {
		poly_scan_error(s, "expected the name of a parameter");
		return NULL;
	}
	return poly_expr_param(poly_scan_word(s, "a parameter"));
}

/* (gather A EXPR) or, with an element that it counts from, (gather A "INDEX" EXPR). */
static struct poly_expr *parse_gather(struct parser *p, int depth)
{
	struct poly_array *array = read_array(p);
	isl_multi_pw_aff *index = NULL;
	struct poly_expr *at;

	if (!array)
		return NULL;
	if (poly_scan_peek(&p->scan)->kind == POLY_TOKEN_STRING) {
		index = poly_scan_index(&p->scan);
		if (!index)
			return NULL;
	}
	at = parse_expr(p, depth + 1);
	return index ? poly_expr_gather_from(array, index, at) :
		poly_expr_gather(array, at);
}

/* Read the arguments of the operator "op". That their types fit is for
 * poly_verify to say, except where the operation could not be made.
 *
 * The type of the result is taken from the arguments, so the text need not say
 * it: the first of a SELECT's choices, BOOL of a comparison, the first argument
 * of all others.
 */
static struct poly_expr *parse_args(struct parser *p, enum poly_op op,
	int depth)
{
	struct poly_expr *arg[POLY_MAX_ARG] = { NULL };
	int n = poly_op_n_arg(op), dim = 0, stride = 1;

	if ((op == POLY_OP_SCATTER && !poly_scan_small(&p->scan, "a coordinate",
	     0, POLY_SCATTER_DIMS - 1, &dim)) || (op == POLY_OP_PUT &&
	    !poly_scan_small(&p->scan, "a word", 0, POLY_MOST_WORDS - 1, &dim)) || (op == POLY_OP_LOOP &&
	    (!poly_scan_small(&p->scan, "a loop", 0, POLY_MAX_LOOP - 1, &dim) ||
	     !poly_scan_small(&p->scan, "a stride", 1, POLY_MOST_THREADS, &stride))))
		return NULL;
	for (int i = 0; i < n; i++) {
		arg[i] = parse_expr(p, depth + 1);
		if (arg[i])
			continue;
		while (i-- > 0)
			poly_expr_free(arg[i]);
		return NULL;
	}
	if (op == POLY_OP_SCATTER)
		return poly_expr_scatter(dim, arg[0], arg[1]);
	if (op == POLY_OP_LOOP)
		return poly_expr_loop(dim, stride, arg[0], arg[1], arg[2], arg[3]);
	if (op == POLY_OP_PUT)
		return poly_expr_put(arg[0], dim, arg[1]);
	if (op == POLY_OP_JOIN)
		return poly_expr_join(arg[0], arg[1], arg[2], arg[3]);
	if (poly_op_shape(op) == POLY_SHAPE_SELECT)
		return poly_expr_op3(op, arg[1]->type, arg[0], arg[1], arg[2]);
	if (poly_op_shape(op) == POLY_SHAPE_COMPARE)
		return poly_expr_op(op, POLY_BOOL, arg[0], arg[1]);
	if (n == 3)
		return poly_expr_op3(op, arg[0]->type, arg[0], arg[1], arg[2]);
	return poly_expr_op(op, arg[0]->type, arg[0], arg[1]);
}

/* Read "(OPERATOR ...)". Depth is bounded, as what walks an expression is recursive. */
static struct poly_expr *parse_expr(struct parser *p, int depth)
{
	struct poly_scan *s = &p->scan;
	struct poly_expr *e;
	enum poly_op op;

	if (depth > POLY_EXPR_MAX)
		poly_scan_limit(s, "the expression is nested deeper than %d",
			POLY_EXPR_MAX);
	if (!poly_scan_expect(s, "("))
		return NULL;
	op = poly_op_find(poly_scan_peek(s)->text);
	if (poly_scan_accept(s, "read"))
		op = POLY_OP_ACCESS;
	else if (op == POLY_OP_NONE || op == POLY_OP_ACCESS)
		poly_scan_error(s, "expected an operator");
	else
		poly_scan_word(s, "an operator");
	if (s->failed)
		return NULL;
	if (op == POLY_OP_CONST || op == POLY_OP_CAST ||
	    op == POLY_OP_BITS || op == POLY_OP_INDEX ||
	    op == POLY_OP_STEP || op == POLY_OP_CARRY || op == POLY_OP_PART ||
	    op == POLY_OP_LEFT || op == POLY_OP_RIGHT)
		e = parse_typed(p, op, depth);
	else if (op == POLY_OP_ACCESS || op == POLY_OP_PARAM)
		e = parse_leaf(p, op);
	else if (op == POLY_OP_GATHER)
		e = parse_gather(p, depth);
	else
		e = parse_args(p, op, depth);
	if (e && !poly_scan_expect(s, ")"))
		return poly_expr_free(e);
	return e;
}

/* True if the current line is one of the current statement's that begins with
 * "word", which is taken.
 *
 * Details are indented by two; a line of less is the next statement.
 */
static bool begin_detail(struct poly_scan *s, const char *word)
{
	return s->indent == 2 && poly_scan_is(s, word) &&
		poly_scan_accept(s, word);
}

/* Read the lines "write" and "value", which only point statements have.
 *
 * write C "{ S[i,j,k] -> C[i,j] }" reduce add
 */
static void parse_write(struct parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	enum poly_op reduce = POLY_OP_NONE;
	struct poly_array *array;
	isl_multi_pw_aff *index;

	if (!begin_detail(s, "write"))
		return;
	array = read_array(p);
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
	poly_scan_line(s);
	if (!begin_detail(s, "value")) {
		poly_scan_error(s, "expected \"value\"");
		return;
	}
	stmt->rhs = parse_expr(p, 1);
	if (array && poly_is_scatter(stmt))
		array->scattered = true;
	poly_scan_line(s);
}

/* Note that "stmt" has the member whose name is the next token.
 *
 * Members may come behind their operation, so it is a name for now.
 */
static void note_member(struct parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	int cap = p->cap ? 2 * p->cap : 16;
	struct member *bigger, m = { .owner = stmt };

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
	if (replace_text(&m.name, poly_scan_word(s, "a statement")))
		p->member[p->n_member++] = m;
}

/* Read the members of a tile operation, which may be none yet.
 *
 * A contraction may take several lines, one for each member; printing does so
 * as lines have a limit.
 */
static void parse_members(struct parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	isl_map *map;

	if (stmt->kind != POLY_POINT && stmt->kind != POLY_SYNC)
		stmt->contraction = isl_union_map_empty(
			isl_space_params_alloc(p->prog->ctx, 0));

	if (begin_detail(s, "member")) {
		do
			note_member(p, stmt);
		while (!s->failed && s->pos < s->n_token);
		poly_scan_line(s);
	}
	while (begin_detail(s, "contraction")) {
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
static void parse_operands(struct parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;

	for (int i = 0; i < POLY_MAX_OPERAND && begin_detail(s, "operand");
	     i++) {
		struct poly_array *buffer = read_array(p);
		isl_multi_pw_aff *index = poly_scan_index(s);

		if (poly_scan_accept(s, "read"))
			poly_scan_small(s, "a read", i, POLY_MAX_OPERAND - 1, &i);
		stmt->operand[i] = buffer;
		stmt->operand_index[i] = index;
		poly_scan_line(s);
	}
}

/* The axes of the lines that an operation stands on. */
static void parse_along(struct parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;
	int axis = 0;

	if (!begin_detail(s, "along"))
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
static void parse_details(struct parser *p, struct poly_stmt *stmt)
{
	struct poly_scan *s = &p->scan;

	parse_write(p, stmt);
	if (begin_detail(s, "at")) {
		stmt->at = poly_scan_point(s);
		poly_scan_line(s);
	}
	parse_members(p, stmt);
	parse_operands(p, stmt);
	if (begin_detail(s, "full")) {
		/* only of a CONTRACT; poly_verify refuses it elsewhere */
		stmt->full = true;
		poly_scan_line(s);
	}
	if (begin_detail(s, "with")) {
		stmt->with = poly_scan_above(s, p->prog);
		poly_scan_line(s);
	}
	if (begin_detail(s, "fill")) {
		poly_scan_number(s, &stmt->fill);
		if (poly_scan_expect(s, "coalesce"))
			poly_scan_small(s, "a dimension", 0, 1, &stmt->coalesce);
		stmt->async = poly_scan_accept(s, "async");
		stmt->bulk = stmt->async && poly_scan_accept(s, "bulk");
		poly_scan_line(s);
	}
	parse_along(p, stmt);
	if (begin_detail(s, "wait")) {
		stmt->wait = poly_scan_above(s, p->prog);
		if (poly_scan_expect(s, "ahead"))
			poly_scan_small(s, "a number", 0, 1024, &stmt->ahead);
		poly_scan_line(s);
	}
}

/* Read one statement with its further lines; its members may come behind it.
 *
 * The domain has the statement's name as its tuple; poly_verify compares.
 */
static void parse_stmt(struct parser *p)
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

/* Connect members with their tile operations.
 *
 * In the order of the text, which is that of execution within an instance.
 */
static void resolve_members(struct parser *p)
{
	struct poly_stmt *member;
	int i;

	for (i = 0; i < p->n_member; i++) {
		const struct member *m = &p->member[i];

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

/* Read the dependences; relations that the text does not have become empty.
 *
 * A text without the section has a program before "deps": all are NULL then.
 */
static void parse_deps(struct parser *p)
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
		while (begin_detail(s, word[i])) {
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
static void parse_have(struct parser *p)
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
static void parse_program(struct parser *p)
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
		parse_stmt(p);
	if (!s->failed)
		resolve_members(p);
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
static bool verify(struct parser *p)
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
	struct parser p = { 0 };
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

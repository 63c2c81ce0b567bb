/* The whole program as text; README.md gives the grammar.
 *
 * One line a fact, indentation for what belongs to what. isl prints single
 * sets, maps and functions only (canon.c); statements stand in program order
 * everywhere, so the same program is always the same text.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"

/* What the printing functions share. */
struct printer {
	struct poly_prog *prog;
	struct poly_str *out;
};

/* Add " QUOTED"; takes "text", which isl made, or failed to. */
static void add_quoted(struct poly_str *out, char *text)
{
	if (text)
		poly_str_printf(out, " \"%s\"", text);
	else
		poly_str_fail(out);
	free(text);
}

/* Add "text" in quotes, with escapes for what may not stand there. */
static void add_string(struct poly_str *out, const char *text)
{
	poly_str_add(out, " \"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			poly_str_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			poly_str_printf(out, "\\x%02x", c);
		else
			poly_str_addn(out, text, 1);
	}
	poly_str_add(out, "\"");
}

static void add_loc(struct poly_str *out, const struct poly_loc *loc)
{
	if (loc->line)
		poly_str_printf(out, " loc %d:%d:%d", loc->line, loc->col,
			loc->len);
}

/* Add "value" with as few digits as give it back. */
static void add_number(struct poly_str *out, double value)
{
	char text[32];
	int digits;

	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	poly_str_add(out, isnan(value) ? "nan" : text);
}

/* Add "e" and its arguments as "(OPERATOR ..)". With "prog", index functions
 * are printed with the program's parameters in its order; without, as isl
 * prints them.
 */
static void add_expr(struct poly_str *out, struct poly_prog *prog,
	const struct poly_expr *e)
{
	int i;

	poly_str_printf(out, "(%s", e->op == POLY_OP_ACCESS ? "read" :
		poly_op_name(e->op));
	switch (e->op) {
	case POLY_OP_CONST:
		poly_str_printf(out, " %s ", poly_type_name(e->type));
		add_number(out, e->value);
		break;
	case POLY_OP_PARAM:
		poly_str_printf(out, " %s", e->param);
		break;
	case POLY_OP_ACCESS:
	case POLY_OP_GATHER:
		poly_str_printf(out, " %s", e->array->name);
		break;
	case POLY_OP_SCATTER:
	case POLY_OP_PUT:
		poly_str_printf(out, " %d", (int)e->value);
		break;
	case POLY_OP_LOOP:
		poly_str_printf(out, " %d %d", (int)e->value, e->stride);
		break;
	case POLY_OP_STEP:
	case POLY_OP_CARRY:
	case POLY_OP_PART:
		poly_str_printf(out, " %s %d", poly_type_name(e->type),
			(int)e->value);
		break;
	case POLY_OP_INDEX:
		poly_str_printf(out, " %s", poly_type_name(e->type));
		break;
	case POLY_OP_CAST:
	case POLY_OP_BITS:
	case POLY_OP_LEFT:
	case POLY_OP_RIGHT:
		poly_str_printf(out, " %s", poly_type_name(e->type));
		break;
	default:
		break;
	}
	if (e->index)
		add_quoted(out, prog ? poly_text_index(prog,
			isl_multi_pw_aff_copy(e->index)) :
			isl_multi_pw_aff_to_str(e->index));
	for (i = 0; i < poly_op_n_arg(e->op); i++) {
		poly_str_add(out, " ");
		add_expr(out, prog, e->arg[i]);
	}
	poly_str_add(out, ")");
}

/* Print "e" as a program's text has it, but index functions with the
 * parameters that they happen to have.
 */
void poly_print_expr(const struct poly_expr *e, struct poly_str *out)
{
	add_expr(out, NULL, e);
}

/* What a hidden size is a share of. */
static void add_hidden(const struct printer *p, const struct poly_param *param)
{
	static const char *const what[] = { NULL, "parts", "steps", "first 0",
		"first 1" };

	if (param->hidden == POLY_KNOWN)
		return;
	poly_str_printf(p->out, " %s of %s", what[param->hidden],
		p->prog->param[param->of].name);
	if (param->behind)
		poly_str_add(p->out, " behind");
}

/* Print the version of the format, the names, the sizes and the context. */
static void print_head(struct printer *p)
{
	struct poly_prog *prog = p->prog;
	int i;

	poly_str_add(p->out, "cetane-poly 1\nprogram");
	add_string(p->out, prog->name);
	poly_str_add(p->out, " file");
	add_string(p->out, prog->file ? prog->file : "");
	for (i = 0; i < prog->n_param; i++) {
		const struct poly_param *param = &prog->param[i];

		poly_str_printf(p->out, "\nparam %s", param->name);
		if (param->fixed)
			poly_str_printf(p->out, " = %lld",
				(long long)param->value);
		add_hidden(p, param);
		add_loc(p->out, &param->loc);
	}
	poly_str_add(p->out, "\ncontext");
	add_quoted(p->out, poly_text_set(prog, isl_set_copy(prog->context)));
	poly_str_add(p->out, "\n");
}

/* The default is not printed. */
static void print_fp(struct printer *p)
{
	if (p->prog->fp != POLY_FP_REASSOC)
		poly_str_printf(p->out, "fp %s\n",
			p->prog->fp == POLY_FP_STRICT ? "strict" : "relaxed");
}

/* Print one array: type, role, memory space, extent and layout. */
static void print_array(struct printer *p, const struct poly_array *array)
{
	static const char *const role[] = {
		[POLY_INPUT] = "input", [POLY_OUTPUT] = "output",
		[POLY_INOUT] = "inout",
		[POLY_TEMP] = "temp",
	};
	static const char *const space[] = {
		[POLY_GLOBAL] = "global", [POLY_SHARED] = "shared",
		[POLY_REGISTER] = "register",
	};

	poly_str_printf(p->out, "array %s %s %s %s", array->name,
		poly_type_name(array->type), role[array->role],
		space[array->space]);
	add_quoted(p->out, poly_text_index(p->prog,
		isl_multi_pw_aff_copy(array->extent)));
	if (array->row_pad)
		poly_str_printf(p->out, " pad %d", array->row_pad);
	if (array->swizzled)
		poly_str_add(p->out, " swizzled");
	if (array->stride)
		poly_str_add(p->out, " stride");
	for (int d = 0; array->stride && d < array->n_dim - 1; d++)
		poly_str_printf(p->out, " %s",
			poly_array_stride(p->prog, array, d));
	if (array->within) {
		poly_str_add(p->out, " within");
		add_quoted(p->out, poly_text_index(p->prog,
			isl_multi_pw_aff_copy(array->within)));
	}
	add_loc(p->out, &array->loc);
	poly_str_add(p->out, "\n");
}

/* The number of the statement whose instances are the tuple "type" of a map of
 * the space "space"; -1 if there is none.
 */
static int find_end(const struct poly_prog *prog, __isl_keep isl_space *space,
	enum isl_dim_type type)
{
	int found = -1;

	for (int i = 0; i < prog->n_stmt && found < 0; i++) {
		isl_space *own = isl_set_get_space(prog->stmt[i]->domain);

		if (isl_space_tuple_is_equal(space, type, own,
			isl_dim_set) == isl_bool_true)
			found = i;
		isl_space_free(own);
	}
	return found;
}

/* The single maps of a relation, each from one statement to another. */
struct edge {
	int from, to;
	isl_map *map;
};

/* The maps of one relation. */
struct edges {
	const struct poly_prog *prog;
	struct edge *edge;
	int n;
};

/* Callback of print_relation: keep "map" with the numbers of its statements,
 * unless it is plainly empty or between tuples that are no statements.
 */
static isl_stat add_edge(__isl_take isl_map *map, void *user)
{
	struct edges *e = user;
	isl_space *space = isl_map_get_space(map);
	int from = find_end(e->prog, space, isl_dim_in);
	int to = find_end(e->prog, space, isl_dim_out);

	isl_space_free(space);
	if (from < 0 || to < 0 || isl_map_plain_is_empty(map))
		isl_map_free(map);
	else
		e->edge[e->n++] = (struct edge){ from, to, map };
	return isl_stat_ok;
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* Print "map" between the statements (or from them to themselves) one single
 * map a line, each behind "head", in program order of both ends. Few pairs of
 * statements have any, so that not each is asked.
 */
static void print_relation(struct printer *p, const char *head,
	__isl_keep isl_union_map *map)
{
	isl_size n = isl_union_map_n_map(map);
	struct edges e = { .prog = p->prog };

	e.edge = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*e.edge));
	if (!e.edge || isl_union_map_foreach_map(map, add_edge, &e) < 0)
		poly_str_fail(p->out);
	if (e.n)
		qsort(e.edge, (size_t)e.n, sizeof(*e.edge), compare_edges);
	for (int i = 0; i < e.n; i++) {
		poly_str_add(p->out, head);
		add_quoted(p->out, poly_text_map(p->prog, e.edge[i].map));
		poly_str_add(p->out, "\n");
	}
	free(e.edge);
}

/* Print the lines "write" and "value" of a point statement. */
static void print_write(struct printer *p, const struct poly_stmt *stmt)
{
	poly_str_printf(p->out, "  write %s", stmt->write_array ?
		stmt->write_array->name : "");
	add_quoted(p->out, poly_text_index(p->prog,
		isl_multi_pw_aff_copy(stmt->write_index)));
	if (stmt->reduce != POLY_OP_NONE)
		poly_str_printf(p->out, " reduce %s",
			poly_op_name(stmt->reduce));
	if (stmt->across)
		poly_str_printf(p->out, " across %d%s", stmt->across,
			stmt->down ? " down" : "");
	if (stmt->ordered)
		poly_str_add(p->out, " ordered");
	if (stmt->atomic)
		poly_str_add(p->out, " atomic");
	if (stmt->fold)
		poly_str_add(p->out, " fold");
	if (stmt->async)
		poly_str_add(p->out, " async");
	poly_str_add(p->out, "\n");
	if (!stmt->rhs)
		return;
	poly_str_add(p->out, "  value ");
	add_expr(p->out, p->prog, stmt->rhs);
	poly_str_add(p->out, "\n");
}

/* Print what only tile operations and barriers have: members, contraction,
 * operands and the flags of their kind. An operand says which read it is where
 * that before it has no buffer, so that parse_operands counts alike.
 */
static void print_operation(struct printer *p, const struct poly_stmt *stmt)
{
	int i;

	if (stmt->n_member)
		poly_str_add(p->out, "  member");
	for (i = 0; i < stmt->n_member; i++)
		poly_str_printf(p->out, " %s", stmt->member[i]->name);
	if (stmt->n_member)
		poly_str_add(p->out, "\n");
	if (stmt->contraction)
		print_relation(p, "  contraction", stmt->contraction);
	for (i = 0; i < POLY_MAX_OPERAND; i++) {
		if (!stmt->operand[i])
			continue;
		poly_str_printf(p->out, "  operand %s", stmt->operand[i]->name);
		add_quoted(p->out, poly_text_index(p->prog,
			isl_multi_pw_aff_copy(stmt->operand_index[i])));
		if (i && !stmt->operand[i - 1])
			poly_str_printf(p->out, " read %d", i);
		poly_str_add(p->out, "\n");
	}
	if (stmt->full)
		poly_str_add(p->out, "  full\n");
	if (stmt->with)
		poly_str_printf(p->out, "  with %s\n", stmt->with->name);
	if (stmt->kind == POLY_COPY) {
		poly_str_add(p->out, "  fill ");
		add_number(p->out, stmt->fill);
		poly_str_printf(p->out, " coalesce %d%s%s\n", stmt->coalesce,
			stmt->async ? " async" : "", stmt->bulk ? " bulk" : "");
	}
	if (stmt->along)
		poly_str_printf(p->out, "  along%s%s\n",
			stmt->along & POLY_AXIS_0 ? " 0" : "",
			stmt->along & POLY_AXIS_1 ? " 1" : "");
	if (stmt->wait)
		poly_str_printf(p->out, "  wait %s ahead %d\n",
			stmt->wait->name, stmt->ahead);
}

/* Print one statement: the line with its domain, then what parse_details reads,
 * in the same order.
 */
static void print_stmt(struct printer *p, const struct poly_stmt *stmt)
{
	static const char *const kind[] = {
		[POLY_POINT] = "point", [POLY_COPY] = "copy",
		[POLY_CONTRACT] = "contract", [POLY_GROUP] = "group",
		[POLY_REDUCE] = "reduce", [POLY_SCAN] = "scan",
		[POLY_SYNC] = "sync",
	};

	poly_str_printf(p->out, "stmt %s %s", stmt->name, kind[stmt->kind]);
	add_quoted(p->out, poly_text_set(p->prog, isl_set_copy(stmt->domain)));
	add_loc(p->out, &stmt->loc);
	poly_str_add(p->out, "\n");
	if (stmt->write_index)
		print_write(p, stmt);
	if (stmt->at) {
		poly_str_add(p->out, "  at");
		add_quoted(p->out, poly_text_point(p->prog,
			isl_multi_aff_copy(stmt->at)));
		poly_str_add(p->out, "\n");
	}
	print_operation(p, stmt);
}

void poly_print_block(const struct poly_block *b, struct poly_str *out)
{
	poly_str_printf(out, "thread %d %d tile %d %d %d", b->thread[0],
		b->thread[1], b->tile[0], b->tile[1], b->tile_k);
	if (b->vec[0] > 1 || b->vec[1] > 1)
		poly_str_printf(out, " vec %d %d", b->vec[0], b->vec[1]);
	if (b->vec_k > 1)
		poly_str_printf(out, " steps %d", b->vec_k);
	if (b->stages > 1)
		poly_str_printf(out, " stages %d", b->stages);
	if (b->unit)
		poly_str_printf(out, " unit %s", poly_unit_name(b->unit));
	if (b->cluster[0] > 1 || b->cluster[1] > 1)
		poly_str_printf(out, " cluster %d %d", b->cluster[0] ? b->cluster[0] : 1,
			b->cluster[1] ? b->cluster[1] : 1);
}

/* Print one kernel in one line; what has its default is left out. */
static void print_kernel(struct printer *p, const struct poly_kernel *kernel)
{
	struct poly_block block = poly_kernel_block(kernel);
	int d;

	poly_str_printf(p->out, "kernel %s %s ", kernel->name, kernel->tiled ?
		"tiled" : kernel->together ? "together" : kernel->apart ?
		"apart" : kernel->block ? "block" : "naive");
	poly_print_block(&block, p->out);
	if (kernel->blocks)
		poly_str_printf(p->out, " blocks %d", kernel->blocks);
	poly_str_add(p->out, kernel->chained ? " chained" : "");
	poly_str_add(p->out, kernel->near ? " near" : "");
	if (kernel->slice)
		poly_str_printf(p->out, " slice %d", kernel->slice);
	poly_str_add(p->out, kernel->ranked ? " ranked" : "");
	poly_str_add(p->out, kernel->given ? " given grid" : " grid");
	for (d = 0; d < 2; d++)
		if (kernel->grid[d])
			add_quoted(p->out, poly_text_size(p->prog,
				isl_pw_aff_copy(kernel->grid[d])));
	if (kernel->n_batch)
		poly_str_add(p->out, " batch");
	for (d = 0; d < kernel->n_batch; d++)
		add_quoted(p->out, poly_text_size(p->prog,
			isl_pw_aff_copy(kernel->batch[d])));
	poly_str_add(p->out, "\n");
}

/* Print the section "deps"; nothing if no dependences have been computed. */
static void print_deps(struct printer *p)
{
	const struct poly_deps *deps = &p->prog->deps;
	const struct {
		const char *head;
		isl_union_map *map;
	} relation[] = {
		{ "  flow", deps->flow }, { "  anti", deps->anti },
		{ "  output", deps->output },
		{ "  reduction", deps->reduction }, { "  rar", deps->rar },
	};
	bool any = false;
	size_t i;

	for (i = 0; i < sizeof(relation) / sizeof(relation[0]); i++) {
		if (!relation[i].map)
			continue;
		if (!any)
			poly_str_add(p->out, "deps\n");
		any = true;
		print_relation(p, relation[i].head, relation[i].map);
	}
}

/* Print the facts that the passes have established; nothing if there are none.
 */
static void print_have(struct printer *p)
{
	static const char *const name[] = {
#define HAVE(id, name, text) name,
#include "polyir/ir/have.def"
#undef HAVE
	};
	size_t i;

	if (!p->prog->have)
		return;
	poly_str_add(p->out, "have");
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (p->prog->have & (1u << i))
			poly_str_printf(p->out, " %s", name[i]);
	poly_str_add(p->out, "\n");
}

/* Append the program's text to "out". Where isl failed, an empty text stands
 * in quotes, which poly_parse rejects.
 */
void poly_print(struct poly_prog *prog, struct poly_str *out)
{
	struct printer p = { .prog = prog, .out = out };
	int i;

	print_head(&p);
	print_fp(&p);
	for (i = 0; i < prog->n_array; i++)
		print_array(&p, prog->array[i]);
	for (i = 0; i < prog->n_stmt; i++)
		print_stmt(&p, prog->stmt[i]);
	for (i = 0; i < prog->n_kernel; i++)
		print_kernel(&p, prog->kernel[i]);
	print_deps(&p);
	print_have(&p);
	if (prog->original) {
		poly_str_add(out, "original\n");
		poly_print_schedule(prog, prog->original, out, "  ");
	}
	if (prog->schedule) {
		poly_str_add(out, "schedule\n");
		poly_print_tree(prog, out, "  ");
	}
}

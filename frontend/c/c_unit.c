/* A unit from a C file: its stages, and what "check" prints. */
#include <stdlib.h>
#include <string.h>

#include "frontend/notation.h"
#include "frontend/c/c.h"
#include "frontend/c/read/read.h"
#include "frontend/c/rewrite/rewrite.h"
#include "frontend/c/lower/lower.h"

/* -------------------------------------------------------------------- -D */

/* The integer "name" that comes from outside the region, no array; NULL if
 * there is none.
 */
static struct fe_c_var *find_integer(const struct fe_unit *u,
	const char *name)
{
	struct fe_c_var *v;

	for (v = u->c->var; v; v = v->next)
		if (!strcmp(v->name, name) && v->outer && !v->n_dim &&
		    !poly_type_is_float(v->type))
			return v;
	return NULL;
}

/* An integer that has been data becomes a size with its value. */
static void define(struct fe_unit *u, const struct fe_define *def)
{
	struct fe_c_var *v = find_integer(u, def->name);

	if (v && v->used && !v->n_write && v->use == FE_C_CELL) {
		v->sized = true;
		v->use = FE_C_SIZE;
	}
	if (!v) {
		FE_REPORT(u, FE_DEFINE_NAME, NULL, def->name);
	} else if (v->fixed && v->value != def->value) {
		FE_REPORT(u, FE_DEFINE_TWICE, NULL, def->name,
			(long long)v->value, (long long)def->value);
	} else if (v->sized && (def->value < 0 || def->value > FE_MAX_SIZE)) {
		FE_REPORT(u, FE_DEFINE_RANGE, NULL, def->name,
			(long long)def->value, FE_MAX_SIZE);
	} else {
		v->fixed = true;
		v->value = def->value;
	}
}

/* What is affine may depend on the values of sizes. */
static void give_values(struct fe_unit *u, const struct fe_define *def,
	int n_def)
{
	struct fe_c_var *v;
	int i;

	for (i = 0; i < n_def; i++) {
		v = find_integer(u, def[i].name);
		if (!v || v->fixed)
			continue;
		v->fixed = true;
		v->value = def[i].value;
	}
}

/* The sizes of a call that are only computed with are sizes, too. */
static void define_sizes(struct fe_unit *u)
{
	struct fe_c_var *v;

	for (v = u->c->var; v; v = v->next) {
		if (!v->is_size || !v->used || v->use != FE_C_CELL)
			continue;
		v->sized = true;
		v->use = FE_C_SIZE;
	}
}

/* ----------------------------------------------------------------- stages */

/* A file of C, and what the options say of it. */
struct file {
	const struct fe_how *src;
	const struct fe_define *def;
	int n_def;
};

/* The stages; each begins only if nothing was wrong before. */
static void read_file(struct fe_unit *u, void *user)
{
	const struct file *f = user;
	const struct fe_how *src = f->src;
	struct fe_c_token *token;
	int i, n_error = u->report->n_error;

	u->c = fe_arena_alloc(&u->arena, sizeof(*u->c));
	u->c->last_var = &u->c->var;
	u->c->last_param = &u->c->param;
	token = fe_c_lex(u, u->text, u->len, src->original,
		src->original_len);
	if (u->report->n_error == n_error)
		fe_c_file(u, fe_c_counted(u, fe_c_walking(u, token)), src);
	give_values(u, f->def, f->n_def);
	if (u->report->n_error == n_error)
		fe_c_written(u);
	if (u->report->n_error == n_error)
		fe_c_powers(u);
	if (u->report->n_error == n_error)
		fe_c_exits(u);
	if (u->report->n_error == n_error)
		fe_c_forward(u);
	if (u->report->n_error == n_error)
		fe_c_dead(u);
	if (u->report->n_error == n_error)
		fe_c_compact(u);
	if (u->report->n_error == n_error)
		fe_c_extreme(u);
	if (u->report->n_error == n_error)
		fe_c_last_turns(u);
	if (u->report->n_error == n_error)
		fe_c_combine(u);
	if (u->report->n_error == n_error)
		fe_c_remainder(u);
	if (u->report->n_error == n_error)
		fe_c_check(u);
	if (u->report->n_error == n_error && src->caller)
		define_sizes(u);
	if (u->report->n_error == n_error)
		fe_c_live(u);
	for (i = 0; i < f->n_def && u->report->n_error == n_error; i++)
		define(u, &f->def[i]);
	if (u->report->n_error == n_error)
		fe_c_roles(u);
	if (u->report->n_error == n_error && src->entry)
		fe_c_entry(u);
	if (u->c->function)
		u->name = u->c->function;
}

struct fe_unit *fe_read_c(const char *file, const char *text, size_t len,
	const struct fe_how *src, const struct fe_define *def, int n_def,
	struct poly_report *report)
{
	struct file f = { src, def, n_def };

	return fe_unit_make(file, text, len, report, read_file, &f);
}

/* True if the token is the name "name". */
static bool is_name(const struct fe_c_token *t, const char *name)
{
	return t->kind == FE_C_NAME && (size_t)t->len == strlen(name) &&
		!memcmp(t->text, name, strlen(name));
}

/* True if "name" stands in "text" behind a type or a comma, and something
 * follows that can follow a declared name; or is "g.n", a member.
 */
bool fe_c_declares(const char *file, const char *text, size_t len,
	const char *name)
{
	struct poly_report report = { 0 };
	struct fe_unit u = { .file = file, .report = &report };
	const struct fe_c_token *t;
	bool found = strchr(name, '.') != NULL;

	if (!setjmp(u.arena.no_memory)) {
		for (t = fe_c_lex(&u, text, len, NULL, 0);
		     t->kind != FE_C_END && !found; t++)
			found = t->kind == FE_C_NAME && is_name(t + 1, name) &&
				(fe_c_is(t + 2, ",") || fe_c_is(t + 2, ")") ||
				 fe_c_is(t + 2, ";") || fe_c_is(t + 2, "="));
	}
	fe_arena_free(&u.arena);
	poly_report_free(&report);
	return found;
}

/* ------------------------------------------------------------------ check */

/* Append the extent "e" as a subscript: a number, a size, or dots for more than
 * that.
 */
static void print_extent(const struct fe_c_expr *e, struct poly_str *out)
{
	int64_t value;

	while (e->kind == FE_C_CAST)
		e = e->arg[0];
	if (fe_c_constant(e, &value))
		poly_str_printf(out, "[%lld]", (long long)value);
	else if (e->kind == FE_C_VAR)
		poly_str_printf(out, "[%s]", e->var->name);
	else
		poly_str_add(out, "[..]");
}

/* The extent that was found, which stands as isl's text, "{ [(n)] : n > m; [(m)] :
 * n <= m }", as "[n if n > m; m if n <= m]".
 */
static void print_found(const char *extent, struct poly_str *out)
{
	const char *value = strstr(extent, "{ [("), *end, *stop;
	const char *before = "[";

	for (; value; value = strstr(stop, "; [(")) {
		end = strstr(value, ")]");
		stop = end ? end + strcspn(end, ";}") : value + 4;
		poly_str_printf(out, "%s%.*s", before,
			end ? (int)(end - value) - 4 : 0, value + 4);
		if (end && !strncmp(end, ")] : ", 5))
			poly_str_printf(out, " if %.*s", (int)(stop - end) - 5 -
				(*stop == '}'), end + 5);
		before = "; ";
	}
	poly_str_add(out, "]");
}

void fe_c_print_check(const struct fe_unit *u, struct poly_str *out)
{
	static const char *const role[] = {
		[POLY_INPUT] = "input ", [POLY_OUTPUT] = "output",
		[POLY_INOUT] = "inout ", [POLY_TEMP] = "temp  "
	};
	const struct fe_c_var *v;
	int d;

	for (v = u->c->var; v; v = v->next) {
		if (v->sized) {
			poly_str_printf(out, "param  %s", v->name);
			if (v->fixed)
				poly_str_printf(out, " = %lld",
					(long long)v->value);
			poly_str_add(out, "\n");
		}
		if (!v->used || v->use != FE_C_CELL)
			continue;
		poly_str_printf(out, "%s %s %s", role[v->role],
			poly_type_name(v->type), v->lowered);
		for (d = 0; d < v->n_dim; d++) {
			if (v->dim[d])
				print_extent(v->dim[d], out);
			else
				print_found(v->extent, out);
		}
		poly_str_add(out, "\n");
	}
}

/* ----------------------------------------------------------------- notation */

struct poly_prog *fe_c_lower_unit(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report)
{
	return fe_c_lower(u, ctx, report, true);
}

const struct fe_executor fe_c_executor = {
	.alloc = fe_c_interp_alloc,
	.free = fe_c_interp_free,
	.set_input = fe_c_interp_set_input,
	.shape = fe_c_interp_shape,
	.positions = fe_c_interp_positions,
	.eval = fe_c_interp_eval,
	.cost = fe_c_interp_cost,
	.check = fe_c_interp_check,
	.whole = true,
};

const struct fe_notation fe_notation_c = {
	.name = "C",
	.help = "a function, or a region between #pragma scop and #pragma endscop",
	.suffix = ".c",
	.expanded = ".i",
	.callable = true,
	.read = fe_read_c,
	.print_check = fe_c_print_check,
	.lower = fe_c_lower_unit,
	.executor = &fe_c_executor,
};

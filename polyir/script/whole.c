/* Commands about the whole program: another order, passes of the automatic schedule that
 * make statements, and what is chosen for kernels of products.
 *
 * These passes are what the automatic schedule has, on the loops as the script has them.
 * They run in the order that they have there, and cannot be tried: what they have made
 * of statements stays.
 */
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"
#include "polyir/rows/rows.h"
#include "polyir/scans/scans.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/tune/tune.h"
#include "polyir/script/box.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

isl_stat poly_script_begin(struct poly_prog *prog)
{
	if (!prog->original)
		return poly_schedule(prog);
	if (poly_sign_exponents(prog) < 0 || poly_scatter(prog) < 0)
		return isl_stat_error;
	return poly_set_schedule(prog, isl_schedule_copy(prog->original));
}

/* Divide what lies a stride apart into classes, and find the dependences of these. */
static isl_stat classes(struct poly_prog *prog)
{
	if (poly_classes(prog) < 0 || poly_deps(prog) < 0)
		return isl_stat_error;
	prog->have |= POLY_HAVE_DEPS;
	return isl_stat_ok;
}

static const struct {
	const char *name;
	isl_stat (*run)(struct poly_prog *prog);
	unsigned establishes;
	bool first;
} step[] = {
#define STEP(pass, command, run, establishes, first) { command, run, establishes, first },
#include "polyir/script/step.def"
#undef STEP
};
enum { N_STEP = sizeof(step) / sizeof(step[0]) };

/* The program has the plan as its schedule, with what its bands say. */
static isl_stat install(struct poly_box *box)
{
	isl_schedule *schedule = poly_plan_schedule(box->plan, true);

	if (!box->plan->tree)
		schedule = poly_find_coincident(box->prog, schedule);
	return poly_set_schedule(box->prog, schedule);
}

/* The plan is that of the program's schedule. */
static isl_stat read_back(struct poly_box *box)
{
	struct poly_plan *plan = poly_plan_of(box->prog, box->prog->schedule);

	if (!plan)
		return isl_stat_error;
	poly_plan_become(&box->plan, plan);
	return isl_stat_ok;
}

void poly_refuse_trying(lua_State *lua, const char *command)
{
	poly_refuse_serial(lua);
	if (poly_box_of(lua)->trying)
		luaL_error(lua, "%s cannot be tried, since it cannot be undone",
			command);
}

/* pass(name): run it. */
static int do_pass(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	const char *name = luaL_checkstring(lua, 1);
	struct poly_attempt a = { .lua = lua, .box = box };
	struct poly_item *kernel[1];
	int i = 0;
	bool first;

	while (i < N_STEP && strcmp(step[i].name, name))
		i++;
	if (i == N_STEP)
		return luaL_error(lua, "there is no pass '%s'", name);
	first = step[i].first;
	poly_refuse_trying(lua, name);
	if (box->steps_done >> i)
		return luaL_error(lua, "%s comes before what has been done, and "
			"once", name);
	if (poly_plan_kernels(box->plan, kernel, 1))
		return luaL_error(lua, "%s comes before gpu", name);
	if (first && box->changed)
		return luaL_error(lua, "%s comes before all that changes loops",
			name);
	if (box->plan->n_kept)
		return luaL_error(lua, "%s comes before fold and store", name);
	for (int k = 0; k < i; k++)
		box->prog->have |= step[k].establishes;
	if (!first && install(box) < 0)
		return poly_attempt_give_up(&a);
	if (first)
		box->prog->schedule = isl_schedule_free(box->prog->schedule);
	if (step[i].run(box->prog) < 0 ||
	    (first && poly_script_begin(box->prog) < 0) || read_back(box) < 0)
		return poly_attempt_give_up(&a);
	if (first)
		box->plan->tree = isl_schedule_free(box->plan->tree);
	box->steps_done |= 1u << i;
	return 0;
}

/* serial(): all runs in one thread, in the order of the text. */
static int do_serial(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);

	poly_refuse_trying(lua, "serial");
	if (box->changed || box->steps_done || box->plan->tree ||
	    box->plan->n_kept || box->script->config)
		return luaL_error(lua, "serial comes alone: no other command "
			"changes the schedule");
	box->script->serial = true;
	return 0;
}

/* order(text): the tree "text" in the place of the plan. */
static int do_order(lua_State *lua)
{
	const char *text = luaL_checkstring(lua, 1);
	struct poly_attempt a = poly_attempt_try(lua);
	isl_bool ok = poly_do_order(&a.box->plan, text, &a.why);

	if (ok < 0) {
		poly_attempt_restore(a.box, a.before);
		return poly_attempt_give_up(&a);
	}
	return poly_attempt_end(&a, "order", ok == isl_bool_true);
}

/* fold(array, dimension from 0, cells) */
static int do_fold(lua_State *lua)
{
	const char *array = luaL_checkstring(lua, 1);
	int64_t dim = luaL_checkinteger(lua, 2), n = luaL_checkinteger(lua, 3);
	struct poly_attempt a = poly_attempt_try(lua);
	bool ok = poly_do_fold(a.box->plan, array, dim < 0 || dim > 99 ? -1 :
		(int)dim, n, &a.why);

	return poly_attempt_end(&a, "fold", ok);
}

/* store(array, dimensions from 0): in that order in memory. */
static int do_store(lua_State *lua)
{
	const char *array = luaL_checkstring(lua, 1);
	int64_t order[POLY_MOST_ORDER];
	struct poly_attempt a;
	int n;

	luaL_checktype(lua, 2, LUA_TTABLE);
	n = (int)lua_rawlen(lua, 2);
	if (n > POLY_MOST_ORDER)
		return luaL_error(lua, "an array has at most %d dimensions here",
			POLY_MOST_ORDER);
	for (int i = 0; i < n; i++) {
		lua_rawgeti(lua, 2, i + 1);
		order[i] = lua_tointeger(lua, -1);
		lua_pop(lua, 1);
	}
	a = poly_attempt_try(lua);
	return poly_attempt_end(&a, "store", poly_do_store(a.box->plan, array,
		order, n, &a.why));
}

/* The leaf whose number is argument 1, of the plan of "a"; NULL, having said so. */
static struct poly_item *leaf_of(struct poly_attempt *a, lua_Integer number)
{
	struct poly_plan *plan = a->box->plan;
	struct poly_item *leaf = number >= 0 && number < plan->n_leaf ?
		poly_plan_leaf(plan, (int)number) : NULL;

	if (!leaf)
		poly_refuse(&a->why, "there is no statement %d", (int)number);
	return leaf;
}

/* A number of Lua's as one of C's; "other" if it is none of at most 1024. */
static int small(lua_Integer n, int other)
{
	return n < -1024 || n > 1024 ? other : (int)n;
}

/* stage(statement, array, loop or nil, padding, last dimension from 0 or -1, reads): a bit
 * for each of the statement's reads of the array, 0 for all of all statements.
 */
static int do_stage(lua_State *lua)
{
	lua_Integer number = luaL_checkinteger(lua, 1);
	const char *array = luaL_checkstring(lua, 2);
	const char *loop = luaL_optstring(lua, 3, NULL);
	struct poly_near near = { .pad = small(luaL_optinteger(lua, 4, 0), 9999),
		.last = small(luaL_optinteger(lua, 5, -1), 9999),
		.reads = (unsigned)luaL_optinteger(lua, 6, 0) };
	struct poly_attempt a = poly_attempt_begin(lua);
	struct poly_item *leaf = leaf_of(&a, number);

	return poly_attempt_end(&a, "stage", leaf && poly_do_stage(a.box->plan,
		leaf, loop, array, near, &a.why));
}

/* compute_at(statement, that which reads it, loop, padding): its values in an iteration of
 * the loop are computed at its beginning.
 */
static int do_compute_at(lua_State *lua)
{
	lua_Integer maker = luaL_checkinteger(lua, 1);
	lua_Integer number = luaL_checkinteger(lua, 2);
	const char *loop = luaL_checkstring(lua, 3);
	struct poly_near near = { .last = -1,
		.pad = small(luaL_optinteger(lua, 4, 0), 9999) };
	struct poly_attempt a = poly_attempt_begin(lua);
	struct poly_item *leaf = leaf_of(&a, number);
	struct poly_item *made = leaf ? leaf_of(&a, maker) : NULL;

	return poly_attempt_end(&a, "compute_at", made && poly_do_compute_at(
		a.box->plan, leaf, made, loop, near, &a.why));
}

/* pipeline(statement, loop): copies there are made an iteration early. */
static int do_pipeline(lua_State *lua)
{
	lua_Integer number = luaL_checkinteger(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	struct poly_attempt a = poly_attempt_begin(lua);
	struct poly_item *leaf = leaf_of(&a, number);

	return poly_attempt_end(&a, "pipeline", leaf && poly_do_pipeline(
		a.box->plan, leaf, loop, &a.why));
}

/* sink(statement, loop): it becomes one in the loop beside it. */
static int do_sink(lua_State *lua)
{
	lua_Integer number = luaL_checkinteger(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	struct poly_attempt a = poly_attempt_begin(lua);
	struct poly_item *leaf = leaf_of(&a, number);

	return poly_attempt_end(&a, "sink", leaf && poly_do_sink(a.box->plan,
		leaf, loop, &a.why));
}

/* reduce(statement, loop, parts, how): a sum in parts. */
static int do_reduce(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	struct poly_attempt a = { .lua = lua, .box = box };
	struct poly_item *leaf = leaf_of(&a, luaL_checkinteger(lua, 1));
	const char *loop = luaL_checkstring(lua, 2);
	int64_t n = luaL_checkinteger(lua, 3);
	const char *how = luaL_checkstring(lua, 4);
	bool lanes = !strcmp(how, "lanes");
	isl_bool ok = isl_bool_ok(leaf != NULL);

	poly_refuse_trying(lua, "reduce");
	if (!lanes && box->plan->closed)
		return luaL_error(lua, "what lanes have been given to is mapped as "
			"it is: other parts come before these");
	if (ok && lanes)
		ok = install(box) < 0 ? isl_bool_error : poly_do_lanes(
			box->plan, leaf, loop, n, &a.why);
	else if (ok)
		ok = poly_do_reduce(box->plan, leaf, loop, n,
			!strcmp(how, "blocks"), &a.why);
	if (ok == isl_bool_true && lanes && read_back(box) < 0)
		ok = isl_bool_error;
	if (ok == isl_bool_true)
		ok = poly_plan_is_legal(box->plan, &a.why) == isl_bool_true ?
			isl_bool_true : isl_bool_error;
	box->changed = true;
	return ok == isl_bool_true ? 0 : ok < 0 ? poly_attempt_give_up(&a) :
		poly_attempt_refuse(&a, "reduce");
}

/* configure(line): a line of a configuration. */
static int do_configure(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	const char *line = luaL_checkstring(lua, 1);
	struct poly_report report = { 0 };
	struct poly_str text = { 0 };
	char why[200];
	bool ok;

	poly_refuse_trying(lua, "this");
	poly_str_printf(&text, "cetane-config 1\n%s\n", line);
	if (!box->script->config)
		box->script->config = poly_config_alloc();
	box->prog->request.config = box->script->config;
	ok = text.s && box->script->config && !strchr(line, '\n') &&
		poly_config_add(box->script->config, box->prog->ctx, text.s,
			text.len, &report);
	snprintf(why, sizeof(why), "%s", report.n_msg ? report.msg[0].text :
		"it cannot be read");
	poly_str_free(&text);
	poly_report_free(&report);
	return ok ? 0 : luaL_error(lua, "%s", why);
}

/* decisions(): the text of the file of decisions, and its name; nothing without one. */
static int ask_decisions(lua_State *lua)
{
	const struct poly_script *script = poly_box_of(lua)->script;

	if (!script->decisions)
		return 0;
	lua_pushlstring(lua, script->decisions, script->n_decisions);
	lua_pushstring(lua, script->decided);
	return 2;
}

/* asked(line): what the script has asked for, as struct poly_script has it. */
static int note_asked(lua_State *lua)
{
	struct poly_str *asked = &poly_box_of(lua)->script->asked;

	poly_str_printf(asked, "%s\n", luaL_checkstring(lua, 1));
	return asked->failed ? luaL_error(lua, "no memory") : 0;
}

/* at_end(function): it is called behind the script. */
static int do_at_end(lua_State *lua)
{
	luaL_checktype(lua, 1, LUA_TFUNCTION);
	lua_settop(lua, 1);
	lua_setfield(lua, LUA_REGISTRYINDEX, POLY_AT_END);
	return 0;
}

/* chain(): products in a row may become one kernel. */
static int do_chain(lua_State *lua)
{
	poly_refuse_trying(lua, "chain");
	poly_box_of(lua)->chains = true;
	return 0;
}

const luaL_Reg poly_whole_commands[] = {
	{ "pass", do_pass }, { "order", do_order },
	{ "fold", do_fold }, { "stage", do_stage }, { "store", do_store },
	{ "decisions", ask_decisions }, { "asked", note_asked },
	{ "at_end", do_at_end },
	{ "compute_at", do_compute_at }, { "pipeline", do_pipeline }, { "sink", do_sink },
	{ "reduce", do_reduce }, { "configure", do_configure }, { "chain", do_chain },
	{ "serial", do_serial }, { NULL, NULL }
};

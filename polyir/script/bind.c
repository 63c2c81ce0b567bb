/* The commands as functions of Lua. Each reads its arguments, has the plan changed, and
 * asks whether the result is legal; if not, the plan is what it was, and a table that
 * says why is the error.
 *
 * What scripts call is in base.lua: it turns the many forms of a command into the one
 * that is here. Nothing that owns memory of isl is alive where Lua may jump out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sums/sums.h"
#include "polyir/script/box.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* ---------------------------------------------------------------- arguments */

/* The statement whose number is argument "arg". */
struct poly_item *poly_leaf_at(lua_State *lua, int arg)
{
	struct poly_plan *plan = poly_box_of(lua)->plan;
	lua_Integer n = luaL_checkinteger(lua, arg);
	struct poly_item *leaf = n >= 0 && n < plan->n_leaf ?
		poly_plan_leaf(plan, (int)n) : NULL;

	if (!leaf)
		luaL_error(lua, "there is no statement %d", (int)n);
	return leaf;
}

/* The list of strings at "arg", empty if it is nil. */
static void names_at(lua_State *lua, int arg, struct poly_names *names)
{
	int n;

	memset(names, 0, sizeof(*names));
	if (lua_isnoneornil(lua, arg))
		return;
	luaL_checktype(lua, arg, LUA_TTABLE);
	n = (int)lua_rawlen(lua, arg);
	if (n > POLY_MOST_NAMES)
		luaL_error(lua, "a list has at most %d names", POLY_MOST_NAMES);
	for (int i = 0; i < n; i++) {
		const char *text;

		lua_rawgeti(lua, arg, i + 1);
		text = lua_type(lua, -1) == LUA_TSTRING ?
			lua_tostring(lua, -1) : NULL;
		if (!text || strlen(text) >= POLY_LOOP_TEXT)
			luaL_error(lua, "a list of names has something else in "
				"it");
		strcpy(names->text[names->n++], text);
		lua_pop(lua, 1);
	}
}

/* The "n" whole numbers at "arg". */
static void numbers_at(lua_State *lua, int arg, int n, int64_t *list)
{
	luaL_checktype(lua, arg, LUA_TTABLE);
	if ((int)lua_rawlen(lua, arg) != n)
		luaL_error(lua, "%d numbers are needed, for as many loops", n);
	for (int i = 0; i < n; i++) {
		int whole;

		lua_rawgeti(lua, arg, i + 1);
		list[i] = lua_tointegerx(lua, -1, &whole);
		if (!whole || list[i] > INT32_MAX || list[i] < -INT32_MAX)
			luaL_error(lua, "a number is no whole one of at most 31 "
				"bits");
		lua_pop(lua, 1);
	}
}

static int64_t number_at(lua_State *lua, int arg)
{
	lua_Integer n = luaL_checkinteger(lua, arg);

	if (n > INT32_MAX || n < -INT32_MAX)
		luaL_error(lua, "a number has more than 31 bits");
	return n;
}

/* ----------------------------------------------------------------- attempts */

void poly_refuse_serial(lua_State *lua)
{
	if (poly_box_of(lua)->script->serial)
		luaL_error(lua, "all runs in one thread, as serial() says: nothing "
			"that changes the schedule follows it");
}

/* ----------------------------------------------------------------- commands */

/* permute(statement, loops in their new order) */
static int do_permute(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	struct poly_names names;
	struct poly_attempt a;

	names_at(lua, 2, &names);
	a = poly_attempt_begin(lua);
	return poly_attempt_end(&a, "permute", poly_do_permute(a.box->plan, leaf, &names,
		&a.why));
}

/* tile(statement, loops, sizes, names of loops over tiles, order, strided) */
static int do_tile(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	struct poly_tiling tiling;
	struct poly_attempt a;

	names_at(lua, 2, &tiling.loop);
	numbers_at(lua, 3, tiling.loop.n, tiling.size);
	names_at(lua, 4, &tiling.ctrl);
	names_at(lua, 5, &tiling.order);
	tiling.strided = lua_toboolean(lua, 6);
	a = poly_attempt_begin(lua);
	return poly_attempt_end(&a, "tile", poly_do_tile(a.box->plan, leaf, &tiling, &a.why));
}

/* skew(statement, loop, other loops, factors) */
static int do_skew(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	int64_t factor[POLY_MOST_NAMES];
	struct poly_names by;
	struct poly_attempt a;

	names_at(lua, 3, &by);
	numbers_at(lua, 4, by.n, factor);
	a = poly_attempt_begin(lua);
	return poly_attempt_end(&a, "skew", poly_do_skew(a.box->plan, leaf, loop, &by, factor,
		&a.why));
}

/* affine(statement, loops, rows one behind another, constants): a matrix that can be
 * inverted.
 */
static int do_affine(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	int64_t row[POLY_MOST_NAMES * POLY_MOST_NAMES];
	int64_t constant[POLY_MOST_NAMES];
	struct poly_names names;
	struct poly_attempt a;

	names_at(lua, 2, &names);
	numbers_at(lua, 3, names.n * names.n, row);
	numbers_at(lua, 4, names.n, constant);
	a = poly_attempt_begin(lua);
	return poly_attempt_end(&a, "affine", poly_do_affine(a.box->plan, leaf,
		&names, row, constant, &a.why));
}

/* shift(statement, loop, iterations) */
static int do_shift(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	int64_t by = number_at(lua, 3);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "shift", poly_do_shift(a.box->plan, leaf, loop, by,
		&a.why));
}

/* scale(statement, loop, factor); by -1 it is what scripts call reverse. */
static int do_scale(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	int64_t by = number_at(lua, 3);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, by == -1 ? "reverse" : "scale", poly_do_scale(a.box->plan,
		leaf, loop, by, &a.why));
}

/* unroll(statement, loop, iterations), 0: all of them */
static int do_unroll(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	int64_t factor = number_at(lua, 3);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "unroll", poly_do_unroll(a.box->plan, leaf, loop, factor,
		&a.why));
}

/* normalize(statement, loop) */
static int do_normalize(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "normalize", poly_do_normalize(a.box->plan, leaf, loop,
		&a.why));
}

/* rename(statement, loop, name) */
static int do_rename(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	const char *name = luaL_checkstring(lua, 3);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "rename", poly_do_rename(a.box->plan, leaf, loop, name,
		&a.why));
}

/* split(statement, loop, condition): what meets the condition first, or last if only
 * that is legal.
 */
static int do_split(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	int number = leaf->number;
	const char *loop = luaL_checkstring(lua, 2);
	const char *condition = luaL_checkstring(lua, 3);
	struct poly_attempt a = poly_attempt_begin(lua);
	struct poly_refusal last = { .kind = NULL };
	bool ok = poly_do_split(a.box->plan, leaf, loop, condition, false,
		&a.why);
	isl_bool legal = ok ? poly_plan_is_legal(a.box->plan, &a.why) :
		isl_bool_true;

	if (legal == isl_bool_false) {
		poly_attempt_restore(a.box, a.before);
		a = poly_attempt_begin(lua);
		ok = poly_do_split(a.box->plan, poly_plan_leaf(a.box->plan,
			number), loop, condition, true, &last);
		poly_refusal_clear(&last);
	}
	return legal < 0 ? poly_attempt_give_up(&a) : poly_attempt_end(&a, "split", ok);
}

/* peel(statement, loop, iterations), the last ones if negative */
static int do_peel(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	int64_t n = number_at(lua, 3);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "peel", poly_do_peel(a.box->plan, leaf, loop, n, &a.why));
}

/* fuse(statement, other statement, loop) */
static int do_fuse(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1), *other = poly_leaf_at(lua, 2);
	const char *loop = luaL_checkstring(lua, 3);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "fuse", poly_do_fuse(a.box->plan, leaf, other, loop,
		&a.why));
}

/* distribute(statement, loop) */
static int do_distribute(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *loop = luaL_checkstring(lua, 2);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "distribute", poly_do_distribute(a.box->plan, leaf, loop,
		&a.why));
}

/* gpu(statement, loops of blocks, loops of threads) */
static int do_gpu(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	struct poly_names block, thread;
	struct poly_attempt a;

	names_at(lua, 2, &block);
	names_at(lua, 3, &thread);
	a = poly_attempt_begin(lua);
	return poly_attempt_end(&a, "gpu", poly_do_gpu(a.box->plan, leaf, &block, &thread,
		&a.why));
}

/* ------------------------------------------------------------------ queries */

/* loops(statement): the names of the loops around it, from outside to inside. */
static int ask_loops(lua_State *lua)
{
	struct poly_item *loop[2 * POLY_MOST_LOOPS];
	int n = poly_leaf_loops(poly_leaf_at(lua, 1), loop);

	lua_createtable(lua, n, 0);
	for (int i = 0; i < n; i++) {
		lua_pushstring(lua, loop[i]->name);
		lua_rawseti(lua, -2, i + 1);
	}
	return 1;
}

/* statements(): the name of each statement that there is, by its number from 0. */
static int ask_statements(lua_State *lua)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	struct poly_plan *plan = poly_box_of(lua)->plan;
	int n = poly_item_leaves(plan->root, leaf);

	lua_newtable(lua);
	for (int i = 0; i < n; i++) {
		lua_pushstring(lua, leaf[i]->stmt->name);
		lua_rawseti(lua, -2, leaf[i]->number);
	}
	lua_pushinteger(lua, plan->n_leaf);
	return 2;
}

/* role(statement, loop): "block" or "thread" and the axis from 0, or nil. */
static int ask_role(lua_State *lua)
{
	struct poly_item *loop = poly_leaf_loop(poly_leaf_at(lua, 1),
		luaL_checkstring(lua, 2));

	if (!loop || !loop->role)
		return 0;
	lua_pushstring(lua, loop->role == POLY_LOOP_BLOCK ? "block" : "thread");
	lua_pushinteger(lua, loop->axis);
	return 2;
}

/* in_kernel(statement): is it in one? */
static int ask_in_kernel(lua_State *lua)
{
	lua_pushboolean(lua, poly_item_kernel(poly_leaf_at(lua, 1)) != NULL);
	return 1;
}

/* target(statement): the array that it writes, and whether it updates it. */
static int ask_target(lua_State *lua)
{
	const struct poly_stmt *stmt = poly_leaf_at(lua, 1)->stmt;

	lua_pushstring(lua, stmt->write_array ? stmt->write_array->name : "");
	lua_pushboolean(lua, stmt->reduce != POLY_OP_NONE);
	return 2;
}

/* extent(statement, loop): how many iterations it has at most, nil if that is no
 * constant.
 */
static int ask_extent(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	struct poly_item *loop = poly_leaf_loop(poly_leaf_at(lua, 1),
		luaL_checkstring(lua, 2));
	int64_t n = loop ? poly_loop_extent(box->plan, loop) : 0;

	if (!n)
		return 0;
	lua_pushinteger(lua, n);
	return 1;
}

/* bounds(statement, loop): its least and greatest value, nil if these are no numbers. */
static int ask_bounds(lua_State *lua)
{
	struct poly_item *loop = poly_leaf_loop(poly_leaf_at(lua, 1),
		luaL_checkstring(lua, 2));
	int64_t least, greatest;

	if (!loop || !poly_loop_bounds(poly_box_of(lua)->plan, loop, &least,
			&greatest))
		return 0;
	lua_pushinteger(lua, least);
	lua_pushinteger(lua, greatest);
	return 2;
}

/* footprint(statement, loop, array): the elements along each dimension that one
 * iteration accesses, false where that is no constant; and the bytes of an element.
 */
static int ask_footprint(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	struct poly_item *loop = poly_leaf_loop(poly_leaf_at(lua, 1),
		luaL_checkstring(lua, 2));
	const struct poly_array *array = poly_prog_find_array(box->prog,
		luaL_checkstring(lua, 3));
	int64_t n[POLY_MAX_DIM];
	struct poly_refusal why = { .kind = NULL };

	if (!loop || !array || array->n_dim > POLY_MAX_DIM)
		return luaL_error(lua, "there is no %s '%s'", loop ? "array" :
			"loop", lua_tostring(lua, loop ? 3 : 2));
	if (!poly_loop_footprint(box->plan, loop, array, n, &why))
		return poly_refuse_lua(lua, "footprint", &why);
	lua_createtable(lua, array->n_dim, 0);
	for (int d = 0; d < array->n_dim; d++) {
		if (n[d])
			lua_pushinteger(lua, n[d]);
		else
			lua_pushboolean(lua, false);
		lua_rawseti(lua, -2, d + 1);
	}
	lua_pushinteger(lua, poly_type_size(array->type));
	return 2;
}

/* text(): the plan as loops, in C. */
static int ask_text(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	struct poly_str text = { 0 };
	char *copy;

	if (poly_plan_print(box->plan, &text) < 0 || !text.s) {
		struct poly_attempt a = { .lua = lua, .box = box };

		poly_str_free(&text);
		return poly_attempt_give_up(&a);
	}
	copy = lua_newuserdatauv(lua, text.len + 1, 0);
	memcpy(copy, text.s, text.len + 1);
	poly_str_free(&text);
	lua_pushstring(lua, copy);
	return 1;
}

/* ------------------------------------------------------------------- trying */

/* try(function, keep): call it; what it has done is undone if it fails, or without
 * "keep". True, or false and the error.
 */
static int attempt(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	bool keep = lua_toboolean(lua, 2);
	struct poly_attempt a;
	int status;

	luaL_checktype(lua, 1, LUA_TFUNCTION);
	lua_settop(lua, 1);
	a = poly_attempt_try(lua);
	box->trying++;
	status = lua_pcall(lua, 0, 0, 0);
	box->trying--;
	if (status == LUA_OK && keep)
		poly_plan_free(a.before);
	else
		poly_attempt_restore(box, a.before);
	if (status != LUA_OK && box->spent)
		return lua_error(lua);
	lua_pushboolean(lua, status == LUA_OK);
	lua_insert(lua, 1);
	return lua_gettop(lua);
}

/* A refusal as text. */
static int refusal_text(lua_State *lua)
{
	lua_getfield(lua, 1, "command");
	lua_getfield(lua, 1, "text");
	lua_getfield(lua, 1, "source");
	lua_getfield(lua, 1, "sink");
	if (lua_isnil(lua, -2))
		lua_pushfstring(lua, "%s: %s", lua_tostring(lua, -4),
			lua_tostring(lua, -3));
	else
		lua_pushfstring(lua, "%s: %s: %s must run before %s",
			lua_tostring(lua, -4), lua_tostring(lua, -3),
			lua_tostring(lua, -2), lua_tostring(lua, -1));
	return 1;
}

void poly_push_core(lua_State *lua)
{
	static const luaL_Reg core[] = {
		{ "permute", do_permute }, { "tile", do_tile },
		{ "skew", do_skew }, { "affine", do_affine }, { "shift", do_shift },
		{ "scale", do_scale }, { "unroll", do_unroll },
		{ "rename", do_rename },
		{ "normalize", do_normalize }, { "split", do_split },
		{ "peel", do_peel }, { "fuse", do_fuse },
		{ "distribute", do_distribute }, { "gpu", do_gpu },
		{ "loops", ask_loops }, { "statements", ask_statements },
		{ "role", ask_role }, { "in_kernel", ask_in_kernel },
		{ "target", ask_target }, { "extent", ask_extent },
		{ "bounds", ask_bounds }, { "footprint", ask_footprint },
		{ "text", ask_text }, { "try", attempt }, { NULL, NULL }
	};

	luaL_newmetatable(lua, POLY_REFUSAL);
	lua_pushcfunction(lua, refusal_text);
	lua_setfield(lua, -2, "__tostring");
	lua_pop(lua, 1);
	luaL_newlib(lua, core);
	luaL_setfuncs(lua, poly_whole_commands, 0);
	luaL_setfuncs(lua, poly_fact_commands, 0);
}

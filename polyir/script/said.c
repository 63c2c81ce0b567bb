/* What a script says of the program, and asks of it: sizes that are known, conditions
 * that all instances meet, loops that carry nothing.
 */
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/script/box.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* The sizes that "set", of instances of a statement, allows; NULL, having said so, if it
 * asks for more than sizes.
 */
static __isl_give isl_set *sizes_of(__isl_take isl_set *set,
	struct poly_refusal *why)
{
	isl_set *sizes = isl_set_params(isl_set_copy(set));
	isl_set *all = isl_set_intersect_params(isl_set_universe(
		isl_set_get_space(set)), isl_set_copy(sizes));

	if (isl_set_is_subset(all, set) != isl_bool_true) {
		poly_refuse(why, "what is known is a condition on sizes, not on "
			"loops");
		sizes = isl_set_free(sizes);
	}
	isl_set_free(all);
	isl_set_free(set);
	return sizes;
}

/* Compile for sizes that meet the condition "text" alone, which objects ask at run time.
 * Its names are those around "leaf".
 */
static isl_bool add_known(struct poly_plan *plan, struct poly_item *leaf,
	const char *text, struct poly_refusal *why)
{
	struct poly_prog *prog = plan->prog;
	isl_set *set = poly_condition(plan, leaf, text, why), *left;
	isl_bool none;

	set = set ? sizes_of(set, why) : NULL;
	if (!set)
		return isl_bool_false;
	left = isl_set_intersect(isl_set_copy(prog->context), isl_set_copy(set));
	left = isl_set_intersect(left, poly_known_sizes(prog));
	none = isl_set_is_empty(left);
	isl_set_free(left);
	if (none == isl_bool_true)
		poly_refuse(why, "no sizes that there may be meet '%s'", text);
	if (none == isl_bool_false)
		prog->context = isl_set_intersect(prog->context, set);
	else
		isl_set_free(set);
	return isl_bool_not(none);
}

/* Do all instances of "leaf" meet the condition? Then it is one that the program has. */
static bool holds_always(struct poly_plan *plan, struct poly_item *leaf,
	const char *text, struct poly_refusal *why)
{
	struct poly_prog *prog = plan->prog;
	isl_set *set = poly_condition(plan, leaf, text, why), *out;
	char *first;
	bool ok;

	if (!set)
		return false;
	out = isl_set_subtract(isl_set_copy(leaf->domain), set);
	out = isl_set_intersect_params(isl_set_intersect_params(out,
		isl_set_copy(prog->context)), poly_known_sizes(prog));
	ok = isl_set_is_empty(out) == isl_bool_true;
	if (!ok) {
		out = isl_set_from_point(isl_set_sample_point(out));
		first = isl_set_to_str(out);
		poly_refuse(why, "the program runs where '%s' does not hold: %s", text,
			first ? first : "");
		free(first);
	}
	isl_set_free(out);
	return ok;
}

/* known(statement, condition on sizes) */
static int do_known(lua_State *lua)
{
	struct poly_attempt a = { .lua = lua, .box = poly_box_of(lua) };
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *text = luaL_checkstring(lua, 2);
	isl_bool ok;

	poly_refuse_trying(lua, "known");
	ok = add_known(a.box->plan, leaf, text, &a.why);
	return ok == isl_bool_true ? 0 : ok < 0 ? poly_attempt_give_up(&a) :
		poly_attempt_refuse(&a, "known");
}

/* predicate(statement, condition) */
static int do_predicate(lua_State *lua)
{
	struct poly_attempt a = { .lua = lua, .box = poly_box_of(lua) };
	struct poly_item *leaf = poly_leaf_at(lua, 1);

	return holds_always(a.box->plan, leaf, luaL_checkstring(lua, 2), &a.why) ?
		0 : poly_attempt_refuse(&a, "add_predicate");
}

/* parallel(statement, loop): an error, unless it carries nothing. It has to stay so if there
 * are kernels in it, whose launches run at one time then.
 */
static int do_parallel(lua_State *lua)
{
	struct poly_attempt a = { .lua = lua, .box = poly_box_of(lua) };
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	struct poly_item *loop = poly_find_loop(a.box->plan, leaf,
		luaL_checkstring(lua, 2), &a.why);
	isl_bool ok = loop ? poly_loop_carries_nothing(a.box->plan, loop, &a.why) :
		isl_bool_false;

	if (ok == isl_bool_true) {
		loop->concurrent = true;
		ok = poly_copies_are_apart(loop, &a.why);
		loop->concurrent = ok == isl_bool_true;
	}
	return ok == isl_bool_true ? 0 : ok < 0 ? poly_attempt_give_up(&a) :
		poly_attempt_refuse(&a, "parallelize");
}

/* flatten(statement, outer loop, inner loop, name) */
static int do_flatten(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *outer = luaL_checkstring(lua, 2);
	const char *inner = luaL_checkstring(lua, 3);
	const char *name = luaL_checkstring(lua, 4);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "flatten", poly_do_flatten(a.box->plan, leaf,
		outer, inner, name, &a.why));
}

/* map(statement, text): what its loops count. */
static int do_map(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	const char *text = luaL_checkstring(lua, 2);
	struct poly_attempt a = poly_attempt_begin(lua);

	return poly_attempt_end(&a, "affine", poly_do_map(a.box->plan, leaf, text,
		&a.why));
}

/* common(statement, statement): the innermost loop around both; nothing: there is none. */
static int ask_common(lua_State *lua)
{
	struct poly_item *at = poly_leaf_at(lua, 1), *other = poly_leaf_at(lua, 2);

	while (at && (at->kind != POLY_ITEM_LOOP || !poly_item_is_below(other, at)))
		at = at->parent;
	if (!at)
		return 0;
	lua_pushstring(lua, at->name);
	return 1;
}

/* Has a kernel at or below "item" elements of the array in shared memory? */
static bool is_near(const struct poly_item *item, const struct poly_array *array,
	bool kernel)
{
	bool near = false;

	kernel |= item->kind == POLY_ITEM_KERNEL;
	for (int i = 0; i < item->n_near && kernel; i++)
		near |= item->near[i].array == array;
	for (int i = 0; i < item->n_child && !near; i++)
		near = is_near(item->child[i], array, kernel);
	return near;
}

/* array(name): whose it is, "input", "output" or "temporary", whether the program writes
 * it, and whether a kernel has elements of it in shared memory; nothing: there is none.
 */
static int ask_array(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	const struct poly_array *array = poly_prog_find_array(box->prog,
		luaL_checkstring(lua, 1));
	bool written = false;

	if (!array)
		return 0;
	for (int i = 0; i < box->prog->n_stmt; i++)
		written |= box->prog->stmt[i]->write_array == array;
	lua_pushstring(lua, array->role == POLY_INPUT ? "input" :
		array->role == POLY_TEMP ? "temporary" : "output");
	lua_pushboolean(lua, written);
	lua_pushboolean(lua, is_near(box->plan->root, array, false));
	return 3;
}

/* Where the accesses of the statement of "leaf" go to: a table on top of the stack, and its
 * length.
 */
struct list_accesses {
	lua_State *lua;
	struct poly_item *leaf;
	int n;
};

/* Does "at" move with one of the dimensions that "along" moves with? */
static bool moves_with(__isl_keep isl_pw_aff *at, __isl_keep isl_pw_aff *along)
{
	int n = isl_pw_aff_dim(at, isl_dim_in);
	bool moves = false;

	for (int i = 0; i < n && !moves; i++)
		moves = isl_pw_aff_involves_dims(at, isl_dim_in, i, 1) == isl_bool_true &&
			isl_pw_aff_involves_dims(along, isl_dim_in, i, 1) == isl_bool_true;
	return moves;
}

/* Append { array = NAME, { loops of dimension 1 }, .. }: the numbers, from 1, of the loops
 * that each dimension of the access moves with.
 */
static void append_access(struct list_accesses *list, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	struct poly_item *loop[2 * POLY_MOST_LOOPS];
	int n = poly_leaf_loops(list->leaf, loop);
	lua_State *lua = list->lua;

	lua_newtable(lua);
	lua_pushstring(lua, array->name);
	lua_setfield(lua, -2, "array");
	for (int d = 0; d < isl_multi_pw_aff_size(index); d++) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(index, d);
		int k = 0;

		lua_newtable(lua);
		for (int i = 0; i < n; i++)
			if (moves_with(at, loop[i]->at[list->leaf->number])) {
				lua_pushinteger(lua, i + 1);
				lua_rawseti(lua, -2, ++k);
			}
		lua_rawseti(lua, -2, d + 1);
		isl_pw_aff_free(at);
	}
	lua_rawseti(lua, -2, ++list->n);
}

static void append_read(struct poly_expr *leaf, void *user)
{
	append_access(user, leaf->array, leaf->index);
}

/* accesses(statement): what it accesses, first what it writes. */
static int ask_accesses(lua_State *lua)
{
	struct poly_item *leaf = poly_leaf_at(lua, 1);
	struct list_accesses list = { lua, leaf, 0 };

	lua_newtable(lua);
	append_access(&list, leaf->stmt->write_array, leaf->stmt->write_index);
	poly_expr_each_access(leaf->stmt->rhs, append_read, &list);
	return 1;
}

const luaL_Reg poly_fact_commands[] = {
	{ "known", do_known }, { "predicate", do_predicate },
	{ "parallel", do_parallel }, { "flatten", do_flatten },
	{ "array", ask_array }, { "accesses", ask_accesses }, { "map", do_map }, { "common", ask_common }, { NULL, NULL }
};

/* poly: attempts of scripts at a command, which are undone where they are refused. */
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

struct poly_attempt poly_attempt_try(lua_State *lua)
{
	struct poly_attempt a = { .lua = lua, .box = poly_box_of(lua) };

	poly_refuse_serial(lua);
	a.before = poly_plan_copy(a.box->plan);
	if (!a.before)
		luaL_error(lua, "not enough memory");
	return a;
}

struct poly_attempt poly_attempt_begin(lua_State *lua)
{
	struct poly_plan *plan = poly_box_of(lua)->plan;
	struct poly_attempt a;

	if (plan->closed)
		luaL_error(lua, "what divide, rows and fold have made is mapped "
			"as it is: commands that change loops come before these");
	a = poly_attempt_try(lua);
	plan->tree = isl_schedule_free(plan->tree);
	a.box->changed = true;
	return a;
}

void poly_attempt_restore(struct poly_box *box, struct poly_plan *before)
{
	before->gone = box->plan->gone;
	box->plan->gone = NULL;
	poly_plan_free(box->plan);
	box->plan = before;
}

/* Is there a loop "name" at or below "item"? */
static bool has_loop(const struct poly_item *item, const char *name)
{
	bool has = item->kind == POLY_ITEM_LOOP && !strcmp(item->name, name);

	for (int i = 0; i < item->n_child && !has; i++)
		has = has_loop(item->child[i], name);
	return has;
}

/* Note the loops at and below "item", of the plan before, that are gone now. */
static void note_gone(struct poly_attempt *a, const struct poly_item *item,
	const char *command)
{
	struct poly_plan *plan = a->box->plan;

	if (item->kind == POLY_ITEM_LOOP && !has_loop(plan->root, item->name)) {
		struct poly_gone *gone = calloc(1, sizeof(*gone));

		if (!gone)
			return;
		strcpy(gone->name, item->name);
		snprintf(gone->by, sizeof(gone->by), "%s", command);
		gone->line = poly_box_line(a->lua);
		gone->next = plan->gone;
		plan->gone = gone;
	}
	for (int i = 0; i < item->n_child; i++)
		note_gone(a, item->child[i], command);
}

static void set_text(lua_State *lua, const char *name, const char *text)
{
	lua_pushstring(lua, text);
	lua_setfield(lua, -2, name);
}

/* Raise "why" as an error. It is copied first, since Lua may fail, too. */
int poly_refuse_lua(lua_State *lua, const char *command, struct poly_refusal *why)
{
	char end[2][400];

	snprintf(end[0], sizeof(end[0]), "%s", why->source ? why->source : "");
	snprintf(end[1], sizeof(end[1]), "%s", why->sink ? why->sink : "");
	free(why->source);
	free(why->sink);
	why->source = why->sink = NULL;
	lua_newtable(lua);
	luaL_setmetatable(lua, POLY_REFUSAL);
	set_text(lua, "command", command);
	set_text(lua, "text", why->text);
	lua_pushinteger(lua, poly_box_line(lua));
	lua_setfield(lua, -2, "line");
	if (why->kind) {
		set_text(lua, "kind", why->kind);
		set_text(lua, "source", end[0]);
		set_text(lua, "sink", end[1]);
		set_text(lua, "distance", why->distance);
		set_text(lua, "array", why->array ? why->array->name : "?");
		set_text(lua, "from", why->from ? why->from->name : "");
		set_text(lua, "to", why->to ? why->to->name : "");
	}
	return lua_error(lua);
}

int poly_attempt_refuse(struct poly_attempt *a, const char *command)
{
	return poly_refuse_lua(a->lua, command, &a->why);
}

int poly_attempt_give_up(struct poly_attempt *a)
{
	a->box->failed = a->box->spent = true;
	return luaL_error(a->lua, "isl fails");
}

int poly_attempt_end(struct poly_attempt *a, const char *command, bool ok)
{
	isl_bool legal = ok ? poly_plan_is_legal(a->box->plan, &a->why) :
		isl_bool_false;

	if (legal == isl_bool_true) {
		note_gone(a, a->before->root, command);
		poly_plan_free(a->before);
		return 0;
	}
	poly_attempt_restore(a->box, a->before);
	return legal < 0 ? poly_attempt_give_up(a) : poly_refuse_lua(a->lua, command, &a->why);
}

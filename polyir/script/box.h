/* The interpreter of Lua that a script runs in. */
#ifndef POLYIR_SCRIPT_BOX_H
#define POLYIR_SCRIPT_BOX_H

#include <lauxlib.h>
#include <lua.h>

#include "polyir/script/plan.h"
#include "polyir/script/script.h"

/* All that one run of a script has. "failed": isl or memory has failed, and all ends. */
struct poly_box {
	struct poly_prog *prog;
	struct poly_plan *plan;
	struct poly_script *script;
	size_t memory;		/* bytes of Lua's */
	long steps;		/* instructions, in thousands */
	bool spent, failed;
	int trying;		/* try() and legal() around what runs */
	unsigned steps_done;	/* of passes that the script has run, a bit each */
	bool changed;		/* a command has changed loops */
	bool chains;		/* products in a row may become one kernel */
};

/* sandbox.c: the box of the state "lua". */
struct poly_box *poly_box_of(lua_State *lua);
/* The line of the script that runs, 0 if it is not known. */
int poly_box_line(lua_State *lua);
/* Run the script of "box"; isl_stat_error, having reported why, if that fails. */
isl_stat poly_box_run(struct poly_box *box);

/* bind.c: a command at work: the plan before it, and why it is refused. */
struct poly_attempt {
	lua_State *lua;
	struct poly_box *box;
	struct poly_plan *before;
	struct poly_refusal why;
};
/* Begin a command that changes the plan; one that gives another plan, or none. */
struct poly_attempt poly_attempt_begin(lua_State *lua);
struct poly_attempt poly_attempt_try(lua_State *lua);
/* Raise an error if serial() was called, which nothing follows. */
void poly_refuse_serial(lua_State *lua);
/* The plan "before" is that of the box again. */
void poly_attempt_restore(struct poly_box *box, struct poly_plan *before);
/* The end of the command "command", which has changed the plan if "ok": keep that if it
 * is legal.
 */
int poly_attempt_end(struct poly_attempt *a, const char *command, bool ok);
/* Raise why a command, which has changed nothing, is refused; the same without an attempt. */
int poly_attempt_refuse(struct poly_attempt *a, const char *command);
int poly_refuse_lua(lua_State *lua, const char *command, struct poly_refusal *why);
/* isl has failed: nothing goes on. */
int poly_attempt_give_up(struct poly_attempt *a);

/* whole.c: the schedule that a script begins with; commands about the whole program. */
isl_stat poly_script_begin(struct poly_prog *prog);
extern const luaL_Reg poly_whole_commands[];
/* Say no to "command" within try() or legal(), and behind serial(). */
void poly_refuse_trying(lua_State *lua, const char *command);
/* said.c: what a script says and asks of the program. */
extern const luaL_Reg poly_fact_commands[];

/* bind.c: the statement whose number is argument "arg". */
struct poly_item *poly_leaf_at(lua_State *lua, int arg);
/* Push the table of what commands are made of. */
void poly_push_core(lua_State *lua);
/* The name of the metatable of refusals: tables with the fields command, text, line
 * and, of dependences, kind, array, source, sink, distance.
 */
#define POLY_REFUSAL "cetane.refusal"
/* The name of what is called behind the script, in the registry. */
#define POLY_AT_END "cetane.at_end"

/* The texts of the libraries in Lua, which the build makes of the files of these names. */
extern const char poly_script_base[], poly_script_chill[];
extern const char poly_script_tiramisu[];

#endif

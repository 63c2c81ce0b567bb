/* The interpreter of Lua that a script runs in. */
#ifndef POLYIR_SCRIPT_BOX_H
#define POLYIR_SCRIPT_BOX_H

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
};

/* sandbox.c: the box of the state "lua". */
struct poly_box *poly_box_of(lua_State *lua);
/* The line of the script that runs, 0 if it is not known. */
int poly_box_line(lua_State *lua);
/* Run the script of "box"; isl_stat_error, having reported why, if that fails. */
isl_stat poly_box_run(struct poly_box *box);

/* bind.c: push the table of what commands are made of. */
void poly_push_core(lua_State *lua);
/* The name of the metatable of refusals: tables with the fields command, text, line
 * and, of dependences, kind, array, source, sink, distance.
 */
#define POLY_REFUSAL "cetane.refusal"

/* The texts of the libraries in Lua, which the build makes of the files of these names. */
extern const char poly_script_base[], poly_script_chill[];
extern const char poly_script_tiramisu[];

#endif

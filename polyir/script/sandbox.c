/* The box that a script runs in: Lua without files, without the means to load code
 * that is not text, and without anything that is not the same on every run; with
 * bounds on instructions and memory.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/script/box.h"

#define MOST_MEMORY ((size_t)64 << 20)
#define STEPS_AT_ONCE 1000
#define MOST_STEPS 10000	/* times STEPS_AT_ONCE */
#define MOST_REPEATED ((size_t)1 << 20)

struct poly_box *poly_box_of(lua_State *lua)
{
	return *(struct poly_box **)lua_getextraspace(lua);
}

/* ------------------------------------------------------------------- bounds */

/* Lua's allocator, which refuses more than MOST_MEMORY. */
static void *allocate(void *user, void *block, size_t old, size_t size)
{
	struct poly_box *box = user;
	void *new;

	old = block ? old : 0;
	if (!size) {
		free(block);
		box->memory -= old;
		return NULL;
	}
	if (size > old && box->memory - old + size > MOST_MEMORY)
		return NULL;
	new = realloc(block, size);
	if (new)
		box->memory += size - old;
	return new;
}

/* Count instructions. Once there are too many, each further one fails, so that no
 * pcall goes on.
 */
static void count(lua_State *lua, lua_Debug *ar)
{
	struct poly_box *box = poly_box_of(lua);

	(void)ar;
	if (!box->spent && ++box->steps < MOST_STEPS)
		return;
	box->spent = true;
	lua_sethook(lua, count, LUA_MASKCOUNT, 1);
	luaL_error(lua, "it takes more than %d instructions",
		MOST_STEPS * STEPS_AT_ONCE);
}

/* string.rep with a bound on what it makes; Lua's own, in the upvalue, could
 * fill the memory by one instruction.
 */
static int repeat(lua_State *lua)
{
	size_t len, between = 0;
	lua_Integer n = luaL_checkinteger(lua, 2);

	luaL_checklstring(lua, 1, &len);
	luaL_optlstring(lua, 3, "", &between);
	if (n > 0 && (size_t)n > MOST_REPEATED / (len + between + 1))
		return luaL_error(lua, "string.rep makes more than %d bytes",
			(int)MOST_REPEATED);
	lua_pushvalue(lua, lua_upvalueindex(1));
	lua_insert(lua, 1);
	lua_call(lua, lua_gettop(lua) - 1, 1);
	return 1;
}

/* ---------------------------------------------------------------- libraries */

/* Remove fields of the global table "table". */
static void remove_fields(lua_State *lua, const char *table,
	const char *const *name)
{
	lua_getglobal(lua, table);
	for (; *name; name++) {
		lua_pushnil(lua);
		lua_setfield(lua, -2, *name);
	}
	lua_pop(lua, 1);
}

/* print, into the output that is shown with the script's result: what would go
 * beyond MOST_REPEATED bytes is dropped.
 */
static int print(lua_State *lua)
{
	struct poly_str *out = &poly_box_of(lua)->script->out;
	int n = lua_gettop(lua);

	for (int i = 1; i <= n; i++) {
		const char *text = luaL_tolstring(lua, i, NULL);

		if (out->len < MOST_REPEATED) {
			poly_str_add(out, i > 1 ? "\t" : "");
			poly_str_add(out, text);
		}
		lua_pop(lua, 1);
	}
	if (out->len < MOST_REPEATED)
		poly_str_add(out, "\n");
	return 0;
}

/* Load "text" of the file "name" and call it with nothing. */
static void run_text(lua_State *lua, const char *name, const char *text,
	size_t len)
{
	lua_pushfstring(lua, "=%s", name);
	if (luaL_loadbufferx(lua, text, len, lua_tostring(lua, -1), "t") != LUA_OK)
		lua_error(lua);
	lua_remove(lua, -2);
	lua_call(lua, 0, LUA_MULTRET);
}

/* dofile: run another file of the folder that the script is in. */
static int run_file(lua_State *lua)
{
	struct poly_box *box = poly_box_of(lua);
	const char *name = luaL_checkstring(lua, 1);
	int top = lua_gettop(lua);
	size_t len = 0;
	char *text, *copy;

	text = box->script->read ? box->script->read(box->script->user, name,
		&len) : NULL;
	if (!text)
		return luaL_error(lua, "there is no file '%s' in the folder of "
			"the script", name);
	copy = lua_newuserdatauv(lua, len + 1, 0);
	memcpy(copy, text, len);
	copy[len] = '\0';
	free(text);
	run_text(lua, name, copy, len);
	return lua_gettop(lua) - top - 1;
}

/* Open the libraries that a script may use, without the functions that load
 * code, reach metatables, or differ from run to run.
 */
static void open_libraries(lua_State *lua)
{
	static const char *const of_all[] = { "collectgarbage", "load",
		"loadfile", "loadstring", "getmetatable", "setmetatable",
		"rawequal", "rawget", "rawlen", "rawset", "warn", NULL };
	static const char *const of_string[] = { "dump", "pack", "unpack",
		"packsize", NULL };
	static const char *const of_math[] = { "random", "randomseed", NULL };
	static const char *const of_table[] = { "move", NULL };

	luaL_requiref(lua, "_G", luaopen_base, 1);
	luaL_requiref(lua, "string", luaopen_string, 1);
	luaL_requiref(lua, "table", luaopen_table, 1);
	luaL_requiref(lua, "math", luaopen_math, 1);
	lua_settop(lua, 0);
	remove_fields(lua, "_G", of_all);
	remove_fields(lua, "string", of_string);
	remove_fields(lua, "math", of_math);
	remove_fields(lua, "table", of_table);
	lua_getglobal(lua, "string");
	lua_getfield(lua, -1, "rep");
	lua_pushcclosure(lua, repeat, 1);
	lua_setfield(lua, -2, "rep");
	lua_pop(lua, 1);
	lua_register(lua, "print", print);
}

/* Run a library of ours: a function of what commands are made of. */
static void run_library(lua_State *lua, const char *name, const char *text)
{
	if (luaL_loadbufferx(lua, text, strlen(text), name, "t") != LUA_OK)
		lua_error(lua);
	poly_push_core(lua);
	lua_call(lua, 1, 0);
}

/* ---------------------------------------------------------------------- run */

int poly_box_line(lua_State *lua)
{
	const struct poly_script *script = poly_box_of(lua)->script;
	lua_Debug ar;

	for (int level = 0; lua_getstack(lua, level, &ar); level++)
		if (lua_getinfo(lua, "Sl", &ar) && ar.source[0] == '@' &&
		    !strcmp(ar.source + 1, script->name) && ar.currentline > 0)
			return ar.currentline;
	return 0;
}

/* The message handler: the error and the line of the script. */
static int handle(lua_State *lua)
{
	int line = poly_box_line(lua);

	lua_settop(lua, 1);
	if (luaL_testudata(lua, 1, POLY_REFUSAL) || lua_istable(lua, 1))
		return 1;
	lua_newtable(lua);
	lua_pushinteger(lua, line);
	lua_setfield(lua, -2, "line");
	luaL_tolstring(lua, 1, NULL);
	lua_setfield(lua, -2, "text");
	return 1;
}

/* All that runs in the box. */
static int run_all(lua_State *lua)
{
	struct poly_script *script = poly_box_of(lua)->script;

	open_libraries(lua);
	lua_register(lua, "dofile", run_file);
	run_library(lua, "=base.lua", poly_script_base);
	run_library(lua, "=chill.lua", poly_script_chill);
	run_library(lua, "=tiramisu.lua", poly_script_tiramisu);
	lua_sethook(lua, count, LUA_MASKCOUNT, STEPS_AT_ONCE);
	lua_pushfstring(lua, "@%s", script->name);
	if (luaL_loadbufferx(lua, script->text, script->len,
	    lua_tostring(lua, -1), "t") != LUA_OK)
		return lua_error(lua);
	lua_call(lua, 0, 0);
	if (lua_getfield(lua, LUA_REGISTRYINDEX, POLY_AT_END) == LUA_TFUNCTION)
		lua_call(lua, 0, 0);
	return 0;
}

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Where "word" stands as a word of its own between "at" and "end", or NULL. */
static const char *find_word(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = at; n && p + n <= end; p++)
		if (!memcmp(p, word, n) && (p == at || !is_in_word(p[-1])) &&
		    (p + n == end || !is_in_word(p[n])))
			return p;
	return NULL;
}

/* Where in the text line "line" begins with something, and how long the word there is,
 * or that of "command" in the line.
 */
static struct poly_loc place(const struct poly_script *script, int line,
	const char *command)
{
	const char *at = script->text, *end, *word, *stop = at + script->len;
	struct poly_loc loc = { line, 1, 1 };

	for (int i = 1; i < line && at && at < stop; i++) {
		at = memchr(at, '\n', (size_t)(stop - at));
		at = at ? at + 1 : NULL;
	}
	if (line < 1 || !at || at >= stop)
		return (struct poly_loc){ line, 1, 1 };
	end = memchr(at, '\n', (size_t)(stop - at));
	end = end ? end : stop;
	word = find_word(at, end, command);
	loc.len = word ? (int)strlen(command) : 0;
	word = word ? word : at;
	while (word < end && (*word == ' ' || *word == '\t'))
		word++;
	loc.col = (int)(word - at) + 1;
	loc.len = loc.len ? loc.len : end > word ? (int)(end - word) : 1;
	return loc;
}

/* The text of an error of Lua's without the file's name in front; "*line" becomes the
 * line that it gives there, if it is in the script.
 */
static const char *without_place(const struct poly_script *script,
	const char *text, int *line)
{
	size_t n = strlen(script->name);
	char *end;
	long given;

	if (strncmp(text, script->name, n) || text[n] != ':')
		return text;
	given = strtol(text + n + 1, &end, 10);
	if (end == text + n + 1 || strncmp(end, ": ", 2))
		return text;
	*line = (int)given;
	return end + 2;
}

/* A field of the table on top of the stack, which keeps it; "" if it has none. */
static const char *field(lua_State *lua, const char *name)
{
	const char *text;

	lua_getfield(lua, 1, name);
	text = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "";
	return text;
}

/* Say in the program's text which two instances a refusal is about. */
static void tell_instances(struct poly_box *box, const char *source,
	const char *sink, const char *from, const char *to)
{
	const struct poly_stmt *a = poly_prog_find_stmt(box->prog, from);
	const struct poly_stmt *b = poly_prog_find_stmt(box->prog, to);

	poly_report_add(box->prog->report, MSG_SCRIPT_SOURCE, a ? &a->loc : NULL,
		source);
	poly_report_add(box->prog->report, MSG_SCRIPT_SINK, b ? &b->loc : NULL,
		sink, source);
}

/* Report the error on top of the stack, a table. */
static void tell(struct poly_box *box, lua_State *lua)
{
	const char *text = field(lua, "text"), *command = field(lua, "command");
	const char *kind = field(lua, "kind"), *distance = field(lua, "distance");
	struct poly_report *r = &box->script->report;
	struct poly_loc loc;
	int line;

	lua_getfield(lua, 1, "line");
	line = (int)lua_tointeger(lua, -1);
	if (!*command)
		text = without_place(box->script, text, &line);
	loc = place(box->script, line, command);
	if (!*command)
		poly_report_add(r, MSG_SCRIPT_LUA, &loc, text);
	else if (!*kind)
		poly_report_add(r, MSG_SCRIPT_COMMAND, &loc, command, text);
	else
		poly_report_add(r, MSG_SCRIPT_REFUSED, &loc, command, text,
			field(lua, "source"), field(lua, "sink"), kind,
			field(lua, "array"), *distance ? ", distance " : "",
			distance);
	if (*kind)
		tell_instances(box, field(lua, "source"), field(lua, "sink"),
			field(lua, "from"), field(lua, "to"));
	else
		poly_report_add(box->prog->report, MSG_SCRIPT_FAILED, NULL,
			box->script->name);
}

isl_stat poly_box_run(struct poly_box *box)
{
	lua_State *lua = lua_newstate(allocate, box);
	int status;

	if (!lua)
		return isl_stat_error;
	*(struct poly_box **)lua_getextraspace(lua) = box;
	lua_pushcfunction(lua, handle);
	lua_pushcfunction(lua, run_all);
	status = lua_pcall(lua, 0, 0, 1);
	if (status != LUA_OK && !box->failed) {
		if (!lua_istable(lua, -1)) {
			struct poly_loc loc = { 0, 0, 0 };

			poly_report_add(&box->script->report, MSG_SCRIPT_LUA,
				&loc, status == LUA_ERRMEM ?
				"it takes more than 64 MiB" : "it fails");
			poly_report_add(box->prog->report, MSG_SCRIPT_FAILED,
				NULL, box->script->name);
		} else {
			lua_replace(lua, 1);
			lua_settop(lua, 1);
			tell(box, lua);
		}
	}
	lua_sethook(lua, NULL, 0, 0);
	lua_close(lua);
	return status == LUA_OK ? isl_stat_ok : isl_stat_error;
}

/* Names of a unit: one symbol for each, found by hashing.
 *
 * Everything that has a name points to its symbol, so names are compared once,
 * when they are read, and what a name stands for is looked up for free.
 */
#include <string.h>
#include <strings.h>

#include "frontend/base/base.h"

/* Sorted as function.def is; a name is looked for once, when its symbol is
 * made.
 */
static const struct fe_function function[] = {
#define FUNCTION(name, n_arg, op, integers) \
	{ name, n_arg, POLY_OP_##op, integers },
#include "frontend/base/function.def"
#undef FUNCTION
};

/* The function called "name" in any case, or NULL.
 *
 * ReLU, relu and RELU are one function.
 */
static const struct fe_function *find_function(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(function) / sizeof(function[0]); i++)
		if (!strcasecmp(function[i].name, name))
			return &function[i];
	return NULL;
}

/* FNV-1a, 64 bits: offset basis and prime are those of its definition. */
static size_t hash(const char *name, size_t len)
{
	uint64_t h = 14695981039346656037u;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 1099511628211u;
	return (size_t)(h ^ h >> 32);
}

/* The slot of "name": where it is or where it belongs.
 *
 * Open addressing with steps of one; the table is at most half full, so a free
 * slot ends the search.
 */
static struct fe_symbol **find_slot(const struct fe_table *table,
	const char *name, size_t len)
{
	size_t i = hash(name, len) & (table->cap - 1);
	const struct fe_symbol *s;

	while ((s = table->slot[i])) {
		if (!strncmp(s->name, name, len) && !s->name[len])
			break;
		i = (i + 1) & (table->cap - 1);
	}
	return &table->slot[i];
}

/* Move to a table of twice the size.
 *
 * The old table stays in the arena, which frees all at once.
 */
static void grow(struct fe_arena *arena, struct fe_table *table)
{
	struct fe_table bigger = { .n = table->n };
	size_t i;

	bigger.cap = table->cap ? 2 * table->cap : 64;
	bigger.slot = fe_arena_alloc(arena, bigger.cap * sizeof(*bigger.slot));
	for (i = 0; i < table->cap; i++) {
		struct fe_symbol *s = table->slot[i];

		if (s)
			*find_slot(&bigger, s->name, strlen(s->name)) = s;
	}
	*table = bigger;
}

/* Used by what makes up names: it asks for names of the text and for those made
 * up before.
 */
bool fe_symbol_is_used(const struct fe_unit *u, const char *name)
{
	const struct fe_symbol *s = u->table.cap ?
		*find_slot(&u->table, name, strlen(name)) : NULL;

	return s && (s->taken || s->loc.line);
}

/* Never NULL: without memory the arena's jump is taken. */
struct fe_symbol *fe_symbol_find(struct fe_unit *u, const char *name,
	size_t len)
{
	struct fe_symbol **slot, *symbol;

	if (2 * u->table.n >= u->table.cap)
		grow(&u->arena, &u->table);
	slot = find_slot(&u->table, name, len);
	if (*slot)
		return *slot;
	symbol = fe_arena_alloc(&u->arena, sizeof(*symbol));
	symbol->name = fe_arena_text(&u->arena, name, len);
	symbol->function = find_function(symbol->name);
	u->table.n++;
	*slot = symbol;
	return symbol;
}

/* False, reported, if the name is a function's or has been declared. The place
 * is where it is declared.
 */
bool fe_declare(struct fe_unit *u, struct fe_symbol *s,
	const struct poly_loc *loc)
{
	if (s->function) {
		FE_REPORT(u, FE_FUNCTION_NAME, loc, s->name);
		return false;
	}
	if (s->loc.line) {
		FE_REPORT(u, FE_REDECLARED, loc, s->name, s->loc.line);
		return false;
	}
	s->loc = *loc;
	return true;
}

/* Can "s" have been meant, where a size was wanted if "size"?
 *
 * "broken" names were declared wrongly, and to suggest them would not help.
 */
static bool may_be_meant(const struct fe_symbol *s, bool size)
{
	return s && !s->broken && (size ? s->param != NULL :
		s->loc.line || s->define_line);
}

/* The name that is most like that of "s", or NULL. Short names are all alike, so that
 * they count only if they differ in the case of their letters.
 *
 * The whole table is searched, for a message only.
 */
static const char *nearest(const struct fe_unit *u, const struct fe_symbol *s,
	bool size)
{
	size_t len = strlen(s->name), i;
	struct fe_suggest near = fe_suggest_begin(s->name, len);
	const char *best = NULL;

	for (i = 0; i < u->table.cap; i++) {
		const struct fe_symbol *t = u->table.slot[i];

		if (t == s || !may_be_meant(t, size))
			continue;
		if (!strcasecmp(t->name, s->name))
			return t->name;
		if (len >= 3 && fe_suggest_try(&near, t->name))
			best = t->name;
	}
	for (i = 0; !size && len >= 3 &&
			i < sizeof(function) / sizeof(function[0]); i++)
		if (fe_suggest_try(&near, function[i].name))
			best = function[i].name;
	return best;
}

/* "loc" is that of the use. */
void fe_report_undefined(struct fe_unit *u, const struct fe_symbol *s,
	const struct poly_loc *loc, enum fe_meant meant)
{
	const char *best = nearest(u, s, meant == FE_MEANS_SIZE);
	const char *ask = best ? "; did you mean " : "";
	char text[FE_ADVICE];

	if (!best && meant == FE_MEANS_POSITION)
		ask = "; a sum over an index that is not on the left is written "
			"with += or sum(..)";
	else if (!best && meant == FE_MEANS_EXTENT)
		ask = "; a size is declared in front, as in param N; and has its "
			"value from outside, as in -D N=8";
	else if (!best && meant == FE_MEANS_VALUE)
		ask = fe_advice(FE_AT_CALL, s->name, text);
	if (meant == FE_MEANS_SIZE)
		FE_REPORT(u, FE_UNDECLARED, loc, s->name, ask, best ? best : "");
	else
		FE_REPORT(u, FE_UNDEFINED, loc, s->name, ask, best ? best : "");
}

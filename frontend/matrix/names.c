/* Names in the lowered program.
 *
 * The lowered program has one name space for parameters, arrays and
 * statements, and isl takes some words for itself. Parameters and outputs
 * choose first and nearly always keep their names; an input comes next, it
 * loses its name to an output of the same name; then other definitions; values
 * inside a right-hand side come last. A name that is not free gets a number.
 * Statements and the arrays of reductions are named when they are lowered.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/matrix/matrix.h"
#include "frontend/index/call.h"

enum { NAME_TEXT = FE_MAX_NAME + 64 };

/* Take "name", or if it is not free "name" with the first number from "first"
 * that makes it so, and a name that the text gives to nothing. The symbol of
 * "name" remembers which numbers are gone.
 */
static const char *take(struct fe_unit *u, const char *name, int first)
{
	struct fe_symbol *plain = fe_symbol_find(u, name, strlen(name));
	struct fe_symbol *s = plain;
	char text[NAME_TEXT + 16];

	if (poly_is_word(name))
		first = 1;
	while (s->taken || poly_is_word(s->name) ||
	       (s != plain && s->loc.line)) {
		if (plain->next_number < first)
			plain->next_number = first;
		snprintf(text, sizeof(text), "%s_%d", name,
			plain->next_number++);
		s = fe_symbol_find(u, text, strlen(text));
	}
	s->taken = true;
	return s->name;
}

static void name_params(struct fe_unit *u)
{
	struct fe_param *p;

	for (p = u->param; p; p = p->next)
		p->name = take(u, p->symbol->name, 1);
}

/* What stands where a newer version stands has its name; calls have the names of
 * the sizes.
 */
static void name_versions(struct fe_unit *u)
{
	struct fe_tensor *t;
	struct fe_call *c;

	for (t = u->sorted; t; t = t->order_next) {
		const struct fe_tensor *last = t;

		while (last->in_place)
			last = last->newer;
		if (t->live)
			t->name = last->name;
	}
	for (c = u->call; c; c = c->next)
		fe_call_name_sizes(u, c);
}

/* What is a version of a matrix has its number if it needs one. */
static void name_definition(struct fe_unit *u, struct fe_tensor *t)
{
	if (!t->name && t->live && !t->in_place)
		t->name = take(u, t->symbol->name, t->def ? t->def->version : 1);
}

/* Name the tensors. Those inside a right-hand side come last. */
static void name_tensors(struct fe_unit *u)
{
	struct fe_tensor *t;
	int i;

	for (i = 0; i < u->n_input; i++)
		u->in[i]->id = u->n_tensor++;
	for (t = u->sorted; t; t = t->order_next)
		t->id = u->n_tensor++;
	for (i = 0; i < u->n_output; i++)
		u->out[i]->name = take(u, u->out[i]->symbol->name, 1);
	for (i = 0; i < u->n_input; i++)
		u->in[i]->name = take(u, u->in[i]->symbol->name, 0);
	for (t = u->sorted; t; t = t->order_next)
		if (!t->node || t->def)
			name_definition(u, t);
	for (t = u->sorted; t; t = t->order_next)
		name_definition(u, t);
	name_versions(u);
}

/* Name the dataset of "n" after its array, or the definition it is. */
static void name_dataset(struct fe_unit *u, struct fe_node *n)
{
	char text[NAME_TEXT];
	const struct fe_def *def = n->owner;
	const char *array = n->tensor ? n->tensor->name : NULL;

	if (n->kind == FE_INPUT)
		n->name = array;
	else if (n == def->node)
		n->name = def->tensor->name ? def->tensor->name :
			def->symbol->name;
	else if (array && !n->flipped)
		n->name = array;
	else {
		snprintf(text, sizeof(text), "N%d", n->id);
		n->name = take(u, text, 1);
	}
}

void fe_names(struct fe_unit *u)
{
	struct fe_node *n;

	name_params(u);
	name_tensors(u);
	for (n = u->indexed ? NULL : u->node; n; n = n->next)
		name_dataset(u, n);
}

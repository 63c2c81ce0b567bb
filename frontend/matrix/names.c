/* Names in the lowered program.
 *
 * The lowered program has one name space for parameters, arrays and
 * statements, and isl takes some words for itself. Parameters and outputs
 * choose first and nearly always keep their names; an input comes next, it
 * loses its name to an output of the same name; then other definitions; names
 * that we make come last. A name that is not free gets a number.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/index/index.h"

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

/* Take "name" with "suffix" behind it. */
static const char *take_suffixed(struct fe_unit *u, const char *name,
	const char *suffix)
{
	char text[NAME_TEXT];

	snprintf(text, sizeof(text), "%s_%s", name, suffix);
	return take(u, text, 1);
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

/* Name the tensors of a program with index notation. Matrices inside a
 * right-hand side come last.
 */
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
		if (!t->name && t->live && !t->in_place &&
		    (!t->node || t->node->def))
			t->name = take(u, t->symbol->name, 1);
	for (t = u->sorted; t; t = t->order_next)
		if (!t->name && t->live && !t->in_place)
			t->name = take(u, t->symbol->name, 1);
	name_versions(u);
}

/* True if "n" becomes statements of the lowered program. */
static bool is_lowered(const struct fe_node *n)
{
	return (n->kind == FE_OP || n->kind == FE_PRODUCT) && n->owner->live;
}

/* Name the arrays that have a name in the text. */
static void name_matrices(struct fe_unit *u)
{
	const struct fe_output *o;
	struct fe_node *n;
	struct fe_def *def;

	for (o = u->output; o; o = o->next)
		o->def->array = take(u, o->def->symbol->name, 1);
	for (n = u->input; n && n->kind == FE_INPUT; n = n->next)
		n->array = take(u, n->name, 0);
	for (def = u->def; def; def = def->next) {
		if (!def->live || !def->owns_node)
			continue;
		if (!def->array)
			def->array = take(u, def->symbol->name, def->version);
		def->node->base->array = def->array;
	}
}

/* Name the statements of "n", and its array if it has none. */
static void name_operation(struct fe_unit *u, struct fe_node *n)
{
	if (!n->array)
		n->array = take(u, n->owner->symbol->name, 1);
	if (n->kind == FE_OP) {
		n->stmt = take_suffixed(u, n->array, poly_op_name(n->op));
		return;
	}
	n->acc = n->array;
	n->init = take_suffixed(u, n->array, "init");
	n->stmt = take_suffixed(u, n->array, "mul");
	if (!n->rounded || u->type == u->compute)
		return;
	n->acc = take_suffixed(u, n->array, "acc");
	n->round = take_suffixed(u, n->array, "round");
}

/* Name the dataset of "n" after its array, or the definition it is. */
static void name_dataset(struct fe_unit *u, struct fe_node *n)
{
	char text[NAME_TEXT];
	const struct fe_def *def = n->owner;

	if (n->kind == FE_INPUT)
		n->name = n->array;
	else if (n == def->node)
		n->name = def->array ? def->array : def->symbol->name;
	else if (n->array && !n->flipped)
		n->name = n->array;
	else {
		snprintf(text, sizeof(text), "N%d", n->id);
		n->name = take(u, text, 1);
	}
}

void fe_names(struct fe_unit *u)
{
	struct fe_node *n;
	struct fe_def *def;

	name_params(u);
	if (u->indexed) {
		name_tensors(u);
		return;
	}
	name_matrices(u);
	for (n = u->node; n; n = n->next)
		if (is_lowered(n))
			name_operation(u, n);
	for (def = u->def; def; def = def->next)
		if (def->is_output && !def->owns_node)
			def->copy = take_suffixed(u, def->array, "copy");
	for (n = u->node; n; n = n->next)
		name_dataset(u, n);
}

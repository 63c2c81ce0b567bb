/* What was found about a program: to note it, to compare it, to free it.
 *
 * The records are in facts.h. A "found" remembers dependences of one array with
 * the accesses that they were computed from: a pass that leaves these as they
 * are need not ask isl again. A "seen"
 * remembers what a check has read of a program: where the next check would read
 * the same, it is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/ir/facts.h"

/* --------------------------------------------------------------- dependences */

void poly_deps_clear(struct poly_deps *d)
{
	d->flow = isl_union_map_free(d->flow);
	d->anti = isl_union_map_free(d->anti);
	d->output = isl_union_map_free(d->output);
	d->reduction = isl_union_map_free(d->reduction);
	d->rar = isl_union_map_free(d->rar);
}

/* The next record of the list and the array stay, so that what is found anew
 * takes this place.
 */
void poly_found_clear(struct poly_found *f)
{
	for (int i = 0; i < POLY_N_ACCESS; i++)
		f->access[i] = isl_union_map_free(f->access[i]);
	f->original = isl_schedule_free(f->original);
	poly_deps_clear(&f->deps);
	f->kinds = 0;
}

void poly_found_free(struct poly_found *f)
{
	while (f) {
		struct poly_found *next = f->next;

		poly_found_clear(f);
		free(f);
		f = next;
	}
}

/* ------------------------------------------------------ what a check has read */

/* The text has one mark for each object, so two records with the same text list
 * their objects in the same order.
 */
void poly_seen_note(struct poly_seen *s, const struct poly_handling *class,
	void *obj)
{
	struct poly_object *more;

	poly_str_add(&s->text, obj ? " *" : " -");
	if (!obj)
		return;
	if (s->n == s->cap) {
		s->cap = 2 * s->cap + 64;
		more = realloc(s->object, s->cap * sizeof(*more));
		if (!more) {
			s->cap = s->n;
			poly_str_fail(&s->text);
			return;
		}
		s->object = more;
	}
	s->object[s->n++] = (struct poly_object){ class, class->copy(obj) };
}

struct poly_seen *poly_seen_free(struct poly_seen *s)
{
	if (!s)
		return NULL;
	for (int i = 0; i < s->n; i++)
		s->object[i].class->free(s->object[i].obj);
	free(s->object);
	poly_str_free(&s->text);
	free(s);
	return NULL;
}

/* The same text has the same places for objects, and so the same classes.
 *
 * Compares references and plain forms, never sets by computing: a wrong "no"
 * costs a check, a slow answer would cost more.
 */
bool poly_seen_same(const struct poly_seen *a, const struct poly_seen *b)
{
	if (!a || !b || a->text.failed || b->text.failed || a->n != b->n ||
	    strcmp(a->text.s, b->text.s))
		return false;
	for (int i = 0; i < a->n; i++)
		if (a->object[i].class->same(a->object[i].obj,
			b->object[i].obj) != isl_bool_true)
			return false;
	return true;
}

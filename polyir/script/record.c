/* The automatic schedule as a script: what the passes have decided, as commands.
 *
 *	block("C", "thread 16 16 tile 64 64 16 ..")	what the model chose
 *	order [==[..]==]				the tree of the scheduler
 *	divide()					passes that make statements
 *	order [==[..]==]				the tree that is mapped
 *
 * The tree that is mapped is given as it is; those in front of it only where a pass has
 * made statements of what stood there.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/tune/tune.h"
#include "polyir/script/script.h"

void poly_record_free(struct poly_record *r)
{
	for (int i = 0; i < r->n; i++)
		poly_str_free(&r->noted[i].tree);
	poly_str_free(&r->mapped);
	r->n = 0;
}

static const struct step {
	const char *pass, *command;
	bool first;
} step[] = {
#define STEP(pass, command, run, establishes, first) { pass, command, first },
#include "polyir/script/step.def"
#undef STEP
};

/* The step that "pass" is; NULL: it is none. */
static const struct step *step_of(const char *pass)
{
	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		if (!strcmp(pass, step[i].pass))
			return &step[i];
	return NULL;
}

/* The command that does what "pass" does; NULL: there is none. */
static const char *command_of(const char *pass)
{
	const struct step *s = step_of(pass);

	return s ? s->command : NULL;
}

/* Where the first line of "tree" below its root begins. */
static const char *below_root(const char *tree)
{
	const char *at = tree;

	while (at && *at && (at == tree || !strncmp(at, "    ", 4))) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? at : "";
}

/* Write the tree "tree" as a command. Two spaces in front of each line fall away. */
static void write_order(const struct poly_str *tree, struct poly_str *out)
{
	const char *at = below_root(tree->s ? tree->s : "");

	poly_str_add(out, "order [==[\n");
	while (*at) {
		size_t n = strcspn(at, "\n");

		if (n > 2)
			poly_str_addn(out, at + 2, n - 2);
		poly_str_add(out, "\n");
		at += n + (at[n] == '\n');
	}
	poly_str_add(out, "]==]\n");
}

/* Write what was chosen for a kernel or a sum: the line "kernel NAME .." or "parts NAME
 * N" of a configuration.
 */
static void write_choice(const char *line, struct poly_str *out)
{
	const char *name = strchr(line, ' '), *rest;

	name = name ? name + 1 : "";
	rest = strchr(name, ' ');
	rest = rest ? rest + 1 : "";
	if (!strncmp(line, "parts ", 6))
		poly_str_printf(out, "parts(\"%.*s\", %s)\n",
			(int)strcspn(name, " "), name, rest);
	else
		poly_str_printf(out, "block(\"%.*s\", \"%s\")\n",
			(int)strcspn(name, " "), name, rest);
}

/* Was the same sum divided more than once? Then its rest was cut off, which a number of
 * parts for it would forbid: divide() decides by itself, as the passes did.
 */
static bool is_cut(const struct poly_search *search, int i)
{
	const struct poly_search_choice *c = search->choice;

	for (int k = 0; k < search->n; k++)
		if (k != i && c[i].is_sum && c[k].is_sum &&
		    !strcmp(c[k].name, c[i].name))
			return true;
	return false;
}

/* Does "pass" make statements before there is a tree? */
static bool is_first(const char *pass)
{
	const struct step *s = step_of(pass);

	return s && s->first;
}

/* The number of the last noted pass, in front of the mapping, that has made statements;
 * -1: none has.
 */
static int last_rewrite(const struct poly_record *r)
{
	int last = -1;

	for (int i = 0; i < r->n; i++)
		if (r->noted[i].statements && command_of(r->noted[i].pass) &&
		    !is_first(r->noted[i].pass))
			last = i;
	return last;
}

/* Write what was chosen for kernels and sums. What is chosen for one of two kernels that
 * become one would keep them apart: chain() chooses for both, as the pass did.
 */
static void write_choices(const struct poly_search *search, struct poly_str *out)
{
	const struct poly_search_choice *c = search->choice;

	for (int i = 0; i < search->n; i++)
		if (c[i].used.line && !c[i].chained && !is_cut(search, i))
			write_choice(c[i].used.line, out);
}

/* What was chosen comes behind folds(): that pass tries other kernels than those that
 * come of it in the end, for which the model chose.
 */
void poly_record_write(const struct poly_record *r,
	const struct poly_search *search, const char *name,
	struct poly_str *out)
{
	int last = last_rewrite(r), chosen = 0;
	const struct poly_str *tree = NULL;

	poly_str_printf(out, "-- The automatic schedule of %s.\n", name);
	for (int i = 0; i <= last; i++)
		if (!strcmp(r->noted[i].pass, "fold") && r->noted[i].statements)
			chosen = i + 1;
	for (int i = 0; i < r->n; i++) {
		const struct poly_noted *p = &r->noted[i];
		const char *command = command_of(p->pass);

		if (i == chosen)
			write_choices(search, out);
		if (!strcmp(p->pass, "chain") && (p->statements || p->moved))
			poly_str_add(out, "chain()\n");
		if (is_first(p->pass) && p->statements)
			poly_str_printf(out, "%s()\n", command);
		if (!strcmp(p->pass, "schedule") && last >= 0) {
			write_order(&p->tree, out);
			tree = &p->tree;
		}
		if (i <= last && tree != &p->tree && tree && command &&
		    (p->statements || p->moved)) {
			poly_str_printf(out, "%s()\n", command);
			tree = &p->tree;
		}
	}
	if (r->n <= chosen)
		write_choices(search, out);
	if (r->mapped.s && (!tree || !tree->s || strcmp(tree->s, r->mapped.s)))
		write_order(&r->mapped, out);
}

/* The checks of index notation, definition by definition.
 *
 * Definitions come in any order. They are bound along what they read, so that
 * each group of definitions that need one another is complete when its types
 * and ranges are found (Tarjan's strongly connected components, in the order
 * in which they are lowered). Matrix expressions are followed in the order of
 * the text; what they read has been checked by then. In the end what no output
 * needs is found.
 */
#include <limits.h>
#include <string.h>

#include "frontend/index/call.h"
#include "frontend/matrix/matrix.h"

/* ---------------------------------------------------------- declarations */

bool fe_index_is_taken(const char *name)
{
	static const char *const words[] = {
#define SCALAR(name, op, floats, integers) name,
#include "frontend/index/tensor/scalar.def"
#undef SCALAR
#define RANDOM(id, name) name,
#include "frontend/base/random.def"
#undef RANDOM
		"and", "or", "not", "true", "false",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], name))
			return true;
	return poly_type_find(name) != POLY_N_TYPE;
}

/* Indices without names for the sizes of an input. */
static void declare_sizes(struct fe_unit *u, struct fe_tensor *t)
{
	struct fe_index **at = &t->scope.first;
	int d, before = u->report->n_error;

	for (d = 0; d < t->rank; d++) {
		struct fe_index *i = fe_arena_alloc(&u->arena, sizeof(*i));

		i->slot = t->n_slot++;
		*at = i;
		at = &i->next;
		t->scope.n++;
		fe_bind_size(u, t->size[d]);
		if (u->report->n_error == before)
			fe_range_size(u, i, t->size[d]);
	}
	t->broken = u->report->n_error > before;
}

void fe_index_declare(struct fe_unit *u)
{
	struct fe_tensor *t;

	for (t = u->tensor; t; t = t->next) {
		if (fe_index_is_taken(t->symbol->name)) {
			FE_REPORT(u, FE_FUNCTION_NAME, &t->loc,
				t->symbol->name);
			t->broken = true;
		} else if (!fe_declare(u, t->symbol, &t->loc)) {
			t->broken = true;
		} else {
			t->symbol->tensor = t;
		}
		if (t->is_input)
			declare_sizes(u, t);
	}
	fe_limits_take(u);
}

/* ---------------------------------------------------------------- groups */

/* The search for definitions that need one another (Tarjan); "stack" are those
 * whose group is not complete.
 */
struct walk {
	struct fe_unit *unit;
	struct fe_tensor *stack;
};

static bool has_call(const struct fe_tensor *group)
{
	for (; group; group = group->order_next)
		if (group->call)
			return true;
	return false;
}

/* A call stands by itself. */
static void check_call(struct fe_unit *u, const struct fe_tensor *group)
{
	const struct fe_tensor *t = group;

	while (!t->call)
		t = t->order_next;
	if (group->order_next)
		FE_REPORT(u, FE_CALL_CYCLE, &t->call->loc);
	else
		fe_call_check(u, t->call);
}

/* Check the definitions of "group", which need one another. */
static void check_group(struct walk *w, struct fe_tensor *group)
{
	struct fe_unit *u = w->unit;
	int before = u->report->n_error;
	struct fe_tensor *t;
	bool broken = false;

	for (t = group; t; t = t->order_next)
		broken |= t->broken;
	if (!broken && has_call(group)) {
		check_call(u, group);
	} else if (!group->node && !group->def && !broken) {
		fe_type_group(u, group);
		fe_range_group(u, group);
	}
	broken |= u->report->n_error > before;
	if (u->last_sorted)
		u->last_sorted->order_next = group;
	else
		u->sorted = group;
	for (t = group; t; t = t->order_next) {
		t->broken |= broken;
		u->last_sorted = t;
	}
}

/* Take the group of "t" off the stack. */
static struct fe_tensor *pop_group(struct walk *w, struct fe_tensor *t)
{
	struct fe_tensor *group = NULL, *one;

	do {
		one = w->stack;
		w->stack = one->stack;
		one->on_stack = false;
		one->group = t->mark;
		one->order_next = group;
		group = one;
	} while (one != t);
	return group;
}

/* Visit "t" and the definitions that it reads, as Tarjan's algorithm does, and
 * check each group of definitions that need one another once it is complete.
 * What reads something broken is broken, too, without a report of its own.
 */
static void visit(struct walk *w, struct fe_tensor *t)
{
	int before = w->unit->report->n_error;
	struct fe_edge *edge;

	t->mark = t->low = ++w->unit->n_visit;
	t->on_stack = true;
	t->stack = w->stack;
	w->stack = t;
	if (t->call && !t->call->ready && !t->call->broken)
		FE_REPORT(w->unit, FE_AHEAD, &t->loc, t->call->loc.line,
			t->symbol->name);
	if (!t->node && !t->def && !t->call)
		fe_bind_tensor(w->unit, t);
	t->broken |= w->unit->report->n_error > before;
	for (edge = t->edge; edge; edge = edge->next) {
		struct fe_tensor *to = edge->to;

		if (!to->is_input && !to->mark)
			visit(w, to);
		t->broken |= to->broken;
		if (to->on_stack && to->low < t->low)
			t->low = to->low;
	}
	if (t->low == t->mark)
		check_group(w, pop_group(w, t));
}

void fe_index_check_one(struct fe_unit *u, struct fe_tensor *t)
{
	struct walk w = { .unit = u };

	if (!t->mark && !t->is_input)
		visit(&w, t);
}

void fe_index_check(struct fe_unit *u, int order)
{
	struct fe_tensor *t;

	for (t = u->tensor; t && t->order < order; t = t->next)
		fe_index_check_one(u, t);
}

/* --------------------------------------------------------------- outputs */

/* Append "t" to the outputs. */
static void add_output(struct fe_unit *u, struct fe_tensor *t)
{
	struct fe_tensor **all;

	all = fe_arena_alloc(&u->arena,
		((size_t)u->n_output + 1) * sizeof(*all));
	if (u->n_output)
		memcpy(all, u->out, (size_t)u->n_output * sizeof(*all));
	all[u->n_output++] = t;
	u->out = all;
	t->is_output = true;
}

/* An output that CodeGen names. */
static void add_named(struct fe_unit *u, const struct fe_output_name *name)
{
	struct fe_symbol *s = name->symbol;
	struct fe_tensor *t = s->tensor ? fe_version(s->tensor, INT_MAX) : NULL;

	if (s->def && !t) {
		if (s->def->is_output)
			FE_REPORT(u, FE_OUTPUT_TWICE, &name->loc, s->name);
		else if (s->def->tensor)
			add_output(u, s->def->tensor);
		s->def->is_output = true;
	} else if (!t || t->is_input) {
		if (!s->broken)
			FE_REPORT(u, FE_OUTPUT_UNDEFINED, &name->loc,
				s->name);
	} else if (t->is_output) {
		FE_REPORT(u, FE_OUTPUT_TWICE, &name->loc, s->name);
	} else {
		add_output(u, t);
	}
}

/* Mark the definitions that others read, beyond those that need them. */
static void find_reads(struct fe_unit *u)
{
	const struct fe_tensor *t;
	const struct fe_edge *edge;

	for (t = u->sorted; t; t = t->order_next)
		for (edge = t->edge; edge; edge = edge->next)
			edge->to->is_read |= edge->to->group != t->group;
}

/* What is never read. */
static void add_unread(struct fe_unit *u)
{
	struct fe_tensor *t;
	struct fe_def *def;

	find_reads(u);
	for (def = u->def; def; def = def->next)
		if (def->symbol->def == def && !def->is_read && def->tensor)
			add_output(u, def->tensor);
	for (t = u->tensor; t; t = t->next)
		if (!t->is_input && !t->is_read)
			add_output(u, t);
}

/* Find the outputs: definitions that "out" marks and those that CodeGen names;
 * if there is neither, what nothing else reads.
 */
static void find_outputs(struct fe_unit *u)
{
	const struct fe_output_name *name;
	struct fe_tensor *t;

	for (t = u->tensor; t; t = t->next)
		if (t->is_out)
			add_output(u, fe_version(t, INT_MAX));
	for (name = u->ast->output; name; name = name->next)
		add_named(u, name);
	if (!u->n_output && !u->ast->has_codegen)
		add_unread(u);
	if (!u->n_output && u->report->n_error == u->n_error)
		FE_REPORT(u, FE_NO_OUTPUT, NULL);
}

/* Put "t" on the stack, unless it is live. */
static void push_live(struct fe_tensor **stack, struct fe_tensor *t)
{
	if (t->live)
		return;
	t->live = true;
	t->stack = *stack;
	*stack = t;
}

/* Mark "t", and what it needs. */
static void mark_live(struct fe_tensor *t)
{
	struct fe_tensor *stack = NULL;
	const struct fe_edge *edge;
	const struct fe_arg *arg;

	push_live(&stack, t);
	while (stack) {
		t = stack;
		stack = t->stack;
		for (edge = t->edge; edge; edge = edge->next)
			push_live(&stack, edge->to);
		for (arg = t->call ? t->call->arg : NULL; arg;
		     arg = arg->next)
			if (arg->to)
				push_live(&stack, arg->to);
	}
}

static void mark_reads(const struct fe_read *r)
{
	for (; r; r = r->next)
		r->def->live = true;
}

/* Mark the matrices that outputs need. One that is only another name of a value is
 * needed by what names it.
 */
static void mark_matrices(struct fe_unit *u)
{
	const struct fe_tensor *t;
	struct fe_def *def;

	for (t = u->tensor; t; t = t->next)
		if (t->live)
			mark_reads(t->reads);
	for (def = u->last_def; def; def = def->prev) {
		def->live |= def->tensor->live;
		if (def->live)
			mark_reads(def->reads);
	}
}

/* Inputs: matrices, then tensors, as they are declared. */
static void find_inputs(struct fe_unit *u)
{
	int n = u->n_input;
	struct fe_tensor *t;
	struct fe_node *m;

	for (t = u->tensor; t; t = t->next)
		n += t->is_input;
	u->in = fe_arena_alloc(&u->arena, ((size_t)n + 1) * sizeof(*u->in));
	n = 0;
	for (m = u->input; m && m->kind == FE_INPUT; m = m->next)
		u->in[n++] = fe_from_matrix(u, m);
	for (t = u->tensor; t; t = t->next)
		if (t->is_input)
			u->in[n++] = t;
	u->n_input = n;
}

/* Warn of sizes and inputs that nothing uses, and of definitions that no output
 * needs.
 */
static void warn(struct fe_unit *u)
{
	const struct fe_tensor *t;
	const struct fe_param *p;
	const struct fe_def *def;
	int i;

	for (p = u->param; p; p = p->next)
		if (!p->used)
			FE_REPORT(u, FE_UNUSED_PARAM, &p->loc,
				p->symbol->name);
	for (i = 0; i < u->n_input; i++) {
		t = u->in[i];
		if (!t->is_read && t->node)
			FE_REPORT(u, FE_UNUSED_MATRIX, &t->loc,
				t->symbol->name);
		else if (!t->is_read)
			FE_REPORT(u, FE_UNUSED_TENSOR, &t->loc,
				t->symbol->name);
	}
	for (t = u->tensor; t; t = t->next)
		if (!t->live && !t->is_input && !t->join)
			FE_REPORT(u, FE_DEAD, &t->loc, t->symbol->name);
	for (def = u->def; def; def = def->next)
		if (!def->live)
			FE_REPORT(u, FE_DEAD, &def->loc, def->symbol->name);
}

void fe_index_outputs(struct fe_unit *u)
{
	int i;

	find_outputs(u);
	find_inputs(u);
	if (u->report->n_error > u->n_error)
		return;
	for (i = 0; i < u->n_output; i++)
		mark_live(u->out[i]);
	mark_matrices(u);
	fe_calls_place(u);
	warn(u);
}

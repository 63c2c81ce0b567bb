/* What became of the loops around each statement: those that blocks and threads
 * share, and those that run one iteration after another, with a dependence that
 * forbids more.
 *
 * The tree is walked from the root with the dependences of each kind; a band
 * keeps those that it leaves equal. A loop that is not parallel carries one of
 * the rest: its kind, the array and two instances are what is told. Tiles have
 * loops of their own, which inspect describes by the size of the tile.
 *
 * It is for people: inspect --explain and the messages of scripts print it; no
 * pass reads it. So it runs only when asked for, and may be slow.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"

enum { N_KIND = 4 };
/* in the order in which a loop is blamed on them */
static const char *const kind_name[N_KIND] = {
	"flow", "anti", "output", "reduction"
};

/* The walk over the tree, which is inside of "kernel", unless that is NULL;
 * "list" are the loops that it has found.
 *
 * "list" is the caller's in the end, in case of an error, too.
 */
struct walk {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	struct poly_loop *list;
	int n, cap;
	bool failed;
};

/* The pairs of each kind that the loops above leave equal. */
struct pairs {
	isl_union_map *kind[N_KIND];
};

/* NULL is allowed. */
static void free_pairs(struct pairs *p)
{
	for (int k = 0; k < N_KIND; k++)
		isl_union_map_free(p->kind[k]);
}

/* A new loop at the end of the list, or NULL without memory.
 *
 * All fields are empty; the caller fills them in.
 */
static struct poly_loop *add_loop(struct walk *w)
{
	struct poly_loop *list = w->list;

	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 16;
		list = realloc(list, (size_t)w->cap * sizeof(*list));
	}
	if (!list) {
		w->cap = w->n;
		w->failed = true;
		return NULL;
	}
	w->list = list;
	list[w->n] = (struct poly_loop){ 0 };
	return &list[w->n++];
}

/* Cut "text", a function of isl's such as "[N] -> { S[i, j] -> [(i + j)] }", to
 * its value.
 *
 * In place. A text of another form stays whole.
 */
static void keep_value(char *text)
{
	char *from = strstr(text, "> [("), *to = from ? strstr(from, ")]") : 0;

	if (!to)
		return;
	*to = '\0';
	memmove(text, from + 4, (size_t)(to - from) - 3);
}

/* What "member" counts at the instances of "s", by the names of its indices;
 * NULL if that is one number.
 *
 * The caller frees it. Names of isl's dimensions get lost when trees are pulled
 * back, so the domain's are set again.
 */
static char *counted(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *s)
{
	isl_pw_aff *pa = poly_member_at(member, s->domain);
	int n = isl_pw_aff_dim(pa, isl_dim_in);
	bool moves = isl_pw_aff_involves_dims(pa, isl_dim_in, 0, n) ==
		isl_bool_true;
	char *text;

	for (int i = 0; i < n; i++) {
		if (isl_set_has_dim_id(s->domain, isl_dim_set, i) ==
		    isl_bool_true)
			pa = isl_pw_aff_set_dim_id(pa, isl_dim_in, i,
				isl_set_get_dim_id(s->domain, isl_dim_set, i));
	}
	text = moves ? isl_pw_aff_to_str(pa) : NULL;
	if (text)
		keep_value(text);
	isl_pw_aff_free(pa);
	return text;
}

/* Asked in both directions, since for an anti dependence it is the second that
 * writes. NULL if neither writes what the other accesses.
 */
const struct poly_array *poly_shared_array(struct poly_prog *prog,
	__isl_keep isl_map *map)
{
	struct poly_stmt *a = poly_prog_find_stmt(prog,
		isl_map_get_tuple_name(map, isl_dim_in));
	struct poly_stmt *b = poly_prog_find_stmt(prog,
		isl_map_get_tuple_name(map, isl_dim_out));
	isl_union_map *writes, *uses;
	const struct poly_array *array = NULL;

	for (int turn = 0; a && b && turn < 2 && !array; turn++) {
		isl_bool none;

		writes = isl_union_map_from_map(poly_stmt_write(a));
		uses = isl_union_map_union(poly_stmt_reads(b),
			isl_union_map_from_map(poly_stmt_write(b)));
		writes = isl_union_map_intersect_range(writes,
			isl_union_map_range(uses));
		none = isl_union_map_is_empty(writes);
		isl_union_map_free(writes);
		if (none == isl_bool_false)
			array = a->write_array;
		a = turn ? a : b;
		b = poly_prog_find_stmt(prog,
			isl_map_get_tuple_name(map, isl_dim_in));
	}
	return array;
}

/* Those pairs that have "stmt" as an end. */
struct of_stmt {
	struct poly_prog *prog;
	const struct poly_stmt *stmt;
	isl_union_map *pairs;
};

/* "map" for some block and thread.
 *
 * Takes "map". A witness in numbers needs no thread.
 */
static __isl_give isl_map *anywhere(struct poly_prog *prog,
	__isl_take isl_map *map)
{
	int n = isl_map_dim(map, isl_dim_param);

	while (n-- > 0)
		if (!poly_prog_find_param(prog, isl_map_get_dim_name(map,
		    isl_dim_param, n)))
			map = isl_map_project_out(map, isl_dim_param, n, 1);
	return map;
}

/* Callback of blame: keep the pairs of "map" if the statement of the loop is
 * one of its ends.
 */
static isl_stat keep_stmt(__isl_take isl_map *map, void *user)
{
	struct of_stmt *o = user;

	if (strcmp(isl_map_get_tuple_name(map, isl_dim_in), o->stmt->name) &&
	    strcmp(isl_map_get_tuple_name(map, isl_dim_out), o->stmt->name))
		isl_map_free(map);
	else
		o->pairs = isl_union_map_add_map(o->pairs,
			anywhere(o->prog, map));
	return isl_stat_ok;
}

/* The search for the array that pairs go through.
 *
 * The first that is found is told; there may be several.
 */
struct find {
	struct poly_prog *prog;
	const struct poly_array *array;
};

/* Callback of blame: the array of the first pairs that have one. */
static isl_stat find_array(__isl_take isl_map *map, void *user)
{
	struct find *f = user;

	if (!f->array)
		f->array = poly_shared_array(f->prog, map);
	isl_map_free(map);
	return isl_stat_ok;
}

/* Find among "later", pairs of the kind "k" that the loop carries, one with
 * the statement of "loop".
 *
 * A pair with the statement itself: a loop around two statements may be serial
 * for one of them alone. Nothing happens if there is none.
 */
static void blame(struct walk *w, struct poly_loop *loop, int k,
	__isl_keep isl_union_map *later)
{
	struct of_stmt o = { w->prog, loop->stmt, isl_union_map_empty(
		isl_set_get_space(w->prog->context)) };

	isl_union_map_foreach_map(later, keep_stmt, &o);
	if (isl_union_map_is_empty(o.pairs) == isl_bool_false) {
		struct poly_pair pair = poly_witness(w->prog, o.pairs);
		struct find f = { w->prog, NULL };

		loop->kind = kind_name[k];
		loop->source = pair.source;
		loop->sink = pair.sink;
		isl_union_map_foreach_map(o.pairs, find_array, &f);
		loop->array = f.array;
	}
	isl_union_map_free(o.pairs);
}

/* Note the loop "member" of each point statement of "domain".
 *
 * Members of tile operations do not reach the tree, so only point statements
 * have loops here.
 */
static void note(struct walk *w, __isl_keep isl_union_set *domain,
	__isl_keep isl_union_pw_aff *member, bool parallel,
	struct pairs *later)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(w->prog, domain, &n);

	for (int i = 0; list && i < n; i++) {
		char *counts = list[i]->kind == POLY_POINT ?
			counted(member, list[i]) : NULL;
		struct poly_loop *loop = counts ? add_loop(w) : NULL;

		if (!loop) {
			free(counts);
			continue;
		}
		loop->stmt = list[i];
		loop->kernel = w->kernel;
		loop->counts = counts;
		loop->parallel = parallel;
		for (int k = 0; k < N_KIND && !parallel && !loop->kind; k++)
			blame(w, loop, k, later->kind[k]);
	}
	free(list);
}

/* Note each member of the band "node" as a loop, with the pairs that it carries
 * if it is not parallel; "p" keeps those that all members leave equal.
 *
 * Each member takes from the pairs what it carries, so the next is asked only
 * for what is equal in all before it.
 */
static void walk_band(struct walk *w, __isl_keep isl_schedule_node *node,
	struct pairs *p)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_set *domain = poly_node_domain(node);
	isl_size n = isl_multi_union_pw_aff_size(partial);

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);
		isl_multi_union_pw_aff *one =
			isl_multi_union_pw_aff_from_union_pw_aff(
				isl_union_pw_aff_copy(member));
		struct pairs later;

		for (int k = 0; k < N_KIND; k++) {
			later.kind[k] =
				isl_union_map_lex_lt_at_multi_union_pw_aff(
					isl_union_map_copy(p->kind[k]),
					isl_multi_union_pw_aff_copy(one));
			p->kind[k] = isl_union_map_eq_at_multi_union_pw_aff(
				p->kind[k], isl_multi_union_pw_aff_copy(one));
		}
		note(w, domain, member,
			isl_schedule_node_band_member_get_coincident(node,
				i) == isl_bool_true, &later);
		free_pairs(&later);
		isl_multi_union_pw_aff_free(one);
		isl_union_pw_aff_free(member);
	}
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(partial);
}

/* Walk what is at and below "node"; "p" is taken.
 *
 * Marks of kernels nest nowhere, so one variable is enough.
 */
static void walk(struct walk *w, __isl_keep isl_schedule_node *node,
	struct pairs p)
{
	const char *name = node ? poly_mark_kernel(node) : NULL;
	isl_size n = isl_schedule_node_n_children(node);

	if (name)
		w->kernel = poly_prog_find_kernel(w->prog, name);
	w->failed |= !node;
	if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
		walk_band(w, node, &p);
	for (int i = 0; i < n && !w->failed; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);
		struct pairs copy;

		for (int k = 0; k < N_KIND; k++)
			copy.kind[k] = isl_union_map_copy(p.kind[k]);
		walk(w, child, copy);
		isl_schedule_node_free(child);
	}
	if (name)
		w->kernel = NULL;
	free_pairs(&p);
}

/* A statement in a tile operation gets its kernel afterwards, for loops above
 * the mark. poly_loops_free frees the list.
 */
isl_stat poly_loops(struct poly_prog *prog, struct poly_loop **list, int *n)
{
	struct walk w = { .prog = prog };
	const struct poly_deps *d = &prog->deps;
	struct pairs all = { { isl_union_map_copy(d->flow),
		isl_union_map_copy(d->anti), isl_union_map_copy(d->output),
		isl_union_map_copy(d->reduction) } };
	isl_schedule_node *root = isl_schedule_get_root(prog->schedule);

	for (int k = 0; k < N_KIND; k++)
		all.kind[k] = isl_union_map_intersect_params(all.kind[k],
			isl_set_copy(prog->context));
	walk(&w, root, all);
	isl_schedule_node_free(root);
	for (int i = 0; i < w.n; i++)
		if (!w.list[i].kernel)
			w.list[i].kernel = poly_kernel_of(prog,
				w.list[i].stmt);
	*list = w.list;
	*n = w.n;
	return w.failed ? poly_isl_error(prog, "loops") : isl_stat_ok;
}

void poly_loops_free(struct poly_loop *list, int n)
{
	for (int i = 0; i < n; i++) {
		free(list[i].counts);
		free(list[i].source);
		free(list[i].sink);
	}
	free(list);
}

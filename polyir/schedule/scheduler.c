/* isl's Pluto-like scheduler under our constraints.
 *
 * Outer coincidence asks for parallel outer loops and keeps a reduction and
 * its consumers in one nest:
 *
 *	D = A * B; E = D + C
 *	band [i, j] coincident 1 1
 *	  sequence: D_init | band [k] D | E
 *
 * isl is asked about the program without its sizes: statements range over all
 * integers, and dependences are those that the index functions imply there.
 * That is a superset of the dependences, so the schedule is legal for every
 * size, and it has three advantages. A dimension of size 1 is still a loop; a
 * reduction's consumer is not fused at the last iteration, which isl does when
 * it sees the bounds; and deep nests take milliseconds instead of seconds. The
 * sizes enter when the AST is built.
 */
#include <stdlib.h>

#include <isl/constraint.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"

/* Inequalities times free dimensions above which a piece of a dependence is
 * simplified, whatever is tried. isl eliminates a variable for each inequality
 * to find what may order the piece, which takes seconds from here on.
 */
#define COMPLEX 100

/* The accesses of some statements without the bounds of their domains. */
struct accesses {
	const struct poly_stmt *stmt;
	isl_union_map *reads, *writes, *updates;
	isl_multi_pw_aff *write_index;	/* of the statement */
};

static __isl_give isl_union_map *unbounded(
	__isl_keep isl_multi_pw_aff *index)
{
	return isl_union_map_from_map(isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(index)));
}

/* Add the read "leaf"; what a SCATTER writes, it may read anywhere. */
static void add_read(struct poly_expr *leaf, void *user)
{
	struct accesses *a = user;

	isl_map *map = poly_reads_any(a->stmt, leaf) ? isl_map_universe(
		isl_multi_pw_aff_get_space(leaf->index)) :
		isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(leaf->index));

	a->reads = isl_union_map_union(a->reads, isl_union_map_from_map(map));
}

/* Data tell which element is read. */
static void add_gathered(struct poly_expr *leaf, void *user)
{
	struct accesses *a = user;
	isl_space *to = isl_multi_pw_aff_get_space(leaf->array->extent);
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_space_domain(isl_multi_pw_aff_get_space(a->write_index)),
		isl_space_range(to));

	a->reads = isl_union_map_union(a->reads, isl_union_map_from_map(
		isl_map_universe(space)));
}

/* Add what "s" reads and writes; an update also reads its cell. */
static void add_stmt(struct accesses *a, struct poly_stmt *s)
{
	isl_union_map *write = unbounded(s->write_index);

	a->stmt = s;
	a->write_index = s->write_index;
	poly_expr_each_access(s->rhs, add_read, a);
	poly_expr_each_gather(s->rhs, add_gathered, a);
	if (poly_is_update(s)) {
		a->reads = isl_union_map_union(a->reads,
			isl_union_map_copy(write));
		a->updates = isl_union_map_union(a->updates,
			isl_union_map_copy(write));
	}
	a->writes = isl_union_map_union(a->writes, write);
}

/* The dependences between the statements of "domain", whatever the sizes. */
static void unbounded_deps(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, struct poly_deps *d)
{
	isl_union_map *none = isl_union_map_empty(
		isl_set_get_space(prog->context));
	struct accesses a = { NULL, none, isl_union_map_copy(none),
		isl_union_map_copy(none), NULL };
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < n; i++)
		add_stmt(&a, list[i]);
	free(list);
	poly_deps_of(d, a.reads, a.writes, a.updates);
}

__isl_give isl_schedule *poly_schedule_domain(struct poly_prog *prog,
	__isl_take isl_union_set *domain)
{
	struct poly_deps d = { 0 };
	isl_union_map *validity;
	isl_schedule_constraints *sc;
	isl_schedule *schedule;

	unbounded_deps(prog, domain, &d);
	validity = isl_union_map_union(isl_union_map_copy(d.flow),
		isl_union_map_copy(d.reduction));
	sc = isl_schedule_constraints_on_domain(
		isl_union_set_universe(isl_union_set_copy(domain)));
	sc = isl_schedule_constraints_set_validity(sc,
		isl_union_map_copy(validity));
	sc = isl_schedule_constraints_set_coincidence(sc, validity);
	sc = isl_schedule_constraints_set_proximity(sc,
		isl_union_map_copy(d.flow));
	poly_deps_clear(&d);
	schedule = isl_schedule_constraints_compute_schedule(sc);
	return isl_schedule_intersect_domain(schedule, domain);
}

/* "deps" without what the domains say anyway; a superset of them. */
static __isl_give isl_union_map *simplify(__isl_take isl_union_map *deps,
	__isl_keep isl_union_set *domain)
{
	deps = isl_union_map_gist_domain(deps, isl_union_set_copy(domain));
	return isl_union_map_gist_range(deps, isl_union_set_copy(domain));
}

/* Equations, and inequalities, of a piece. */
struct count {
	int equal, other;
};

static isl_stat count_constraint(__isl_take isl_constraint *c, void *user)
{
	struct count *count = user;

	if (isl_constraint_is_equality(c) == isl_bool_true)
		count->equal++;
	else
		count->other++;
	isl_constraint_free(c);
	return isl_stat_ok;
}

/* Does it take isl too long to find what orders this piece? Equations remove
 * dimensions first.
 */
static bool is_complex(__isl_keep isl_basic_map *piece)
{
	struct count n = { 0 };

	isl_basic_map_foreach_constraint(piece, count_constraint, &n);
	return (isl_basic_map_dim(piece, isl_dim_all) - n.equal) * n.other >
		COMPLEX;
}

/* Dependences, and those of their pieces that are complex. */
struct sorted {
	isl_union_map *plain, *complex;
};

/* Add the piece to those that are complex, or to the others. */
static isl_stat sort_piece(__isl_take isl_basic_map *piece, void *user)
{
	struct sorted *s = user;
	isl_union_map **to = is_complex(piece) ? &s->complex : &s->plain;

	*to = isl_union_map_union(*to, isl_union_map_from_basic_map(piece));
	return isl_stat_ok;
}

static isl_stat sort_map(__isl_take isl_map *map, void *user)
{
	isl_stat ok = isl_map_foreach_basic_map(map, sort_piece, user);

	isl_map_free(map);
	return ok;
}

/* "deps", of which only what is complex is simplified. */
static __isl_give isl_union_map *simplify_complex(
	__isl_take isl_union_map *deps, __isl_keep isl_union_set *domain)
{
	isl_space *space = isl_union_map_get_space(deps);
	struct sorted s = { isl_union_map_empty(isl_space_copy(space)),
		isl_union_map_empty(space) };

	isl_union_map_foreach_map(deps, sort_map, &s);
	if (isl_union_map_is_empty(s.complex) == isl_bool_true) {
		isl_union_map_free(s.plain);
		isl_union_map_free(s.complex);
		return deps;
	}
	isl_union_map_free(deps);
	return isl_union_map_union(s.plain, simplify(s.complex, domain));
}

/* The part of "deps" that is between instances of "domain". */
static __isl_give isl_union_map *within(__isl_take isl_union_map *deps,
	__isl_keep isl_union_set *domain)
{
	isl_union_set *all = isl_union_set_universe(
		isl_union_set_copy(domain));

	deps = isl_union_map_intersect_domain(deps, isl_union_set_copy(all));
	return isl_union_map_intersect_range(deps, all);
}

/* --------------------------------------------------------------- recurrences */

/* Which statements depend on which: edge[i * n + j], whether j on i, perhaps through
 * others.
 */
struct graph {
	struct poly_prog *prog;
	bool *edge;
};

/* The graph of "deps", edges to a statement itself left out, and what follows. */
static bool find_graph(struct graph *g, __isl_keep isl_union_map *deps)
{
	int n = g->prog->n_stmt;

	g->edge = calloc((size_t)n * n + 1, sizeof(*g->edge));
	if (!g->edge)
		return false;
	poly_note_edges(g->prog, deps, g->edge);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++) {
			if (!g->edge[i * n + k])
				continue;
			for (int j = 0; j < n; j++)
				g->edge[i * n + j] |= g->edge[k * n + j];
		}
	return true;
}

static __isl_give isl_union_set *all_of(const struct poly_stmt *stmt)
{
	return isl_union_set_from_set(isl_set_universe(
		isl_set_get_space(stmt->domain)));
}

/* What the update number "u", which is part of a recurrence, waits for there, number
 * "start", which begins its cells, waits for, too.
 */
static __isl_give isl_union_map *begin_with(const struct graph *g,
	__isl_take isl_union_map *deps, int start, int u)
{
	struct poly_prog *prog = g->prog;
	isl_union_map *begun = isl_union_map_intersect_domain(
		isl_union_map_copy(prog->deps.flow),
		all_of(prog->stmt[start]));
	isl_union_map *into = isl_union_map_intersect_range(
		isl_union_map_copy(deps), all_of(prog->stmt[u]));
	isl_union_set *around = isl_union_set_empty(
		isl_set_get_space(prog->context));
	int n = prog->n_stmt;

	begun = isl_union_map_intersect_range(begun, all_of(prog->stmt[u]));
	for (int i = 0; i < n; i++)
		if (i != u && g->edge[i * n + u] && g->edge[u * n + i])
			around = isl_union_set_union(around,
				all_of(prog->stmt[i]));
	into = isl_union_map_intersect_domain(into, around);
	into = isl_union_map_apply_range(into, isl_union_map_reverse(begun));
	return isl_union_map_union(deps, into);
}

/* "deps", and more of them, that keep what begins the sums of a recurrence with it: isl
 * would have all of it run before, by itself, and the sums go on from memory. With
 * "steps", also those of poly_step_together(); it is false afterwards if there are none.
 */
static __isl_give isl_union_map *begin_recurrences(struct poly_prog *prog,
	__isl_take isl_union_map *deps, bool *steps)
{
	struct graph g = { prog, NULL };
	int n = prog->n_stmt;

	if (prog->original || !find_graph(&g, deps)) {
		free(g.edge);
		*steps = false;
		return deps;
	}
	for (int u = 0; u < n; u++)
		for (int i = 0; i < n && g.edge[u * n + u]; i++)
			if (poly_is_update(prog->stmt[u]) &&
			    prog->stmt[i]->write_array ==
				prog->stmt[u]->write_array &&
			    !poly_is_update(prog->stmt[i]) &&
			    !g.edge[u * n + i])
				deps = begin_with(&g, deps, i, u);
	if (*steps)
		deps = poly_step_together(prog, g.edge, deps, steps);
	free(g.edge);
	return deps;
}

/* One try, with the dependences simplified or, but for what is complex, as they
 * are. "part": the domain is not that of the whole program. "steps": see
 * begin_recurrences().
 */
static __isl_give isl_schedule *schedule_exactly(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, bool part, bool simple, bool *steps)
{
	isl_union_map *all = isl_union_map_union(poly_ordering_deps(prog),
		isl_union_map_copy(prog->deps.reduction));
	isl_union_map *flow = isl_union_map_copy(prog->deps.flow);
	isl_schedule_constraints *sc;

	if (part) {
		all = within(all, domain);
		flow = within(flow, domain);
	}
	all = poly_union_map_coalesce(begin_recurrences(prog, all, steps));
	if (simple) {
		all = simplify(all, domain);
		flow = simplify(flow, domain);
	} else {
		all = simplify_complex(all, domain);
		flow = simplify_complex(flow, domain);
	}
	sc = isl_schedule_constraints_on_domain(isl_union_set_copy(domain));
	sc = isl_schedule_constraints_set_context(sc,
		isl_set_copy(prog->context));
	sc = isl_schedule_constraints_set_validity(sc,
		isl_union_map_copy(all));
	sc = isl_schedule_constraints_set_coincidence(sc, all);
	sc = isl_schedule_constraints_set_proximity(sc, flow);
	return isl_schedule_constraints_compute_schedule(sc);
}

/* Must no other statement wait for an instance of "stmt"? */
static bool is_last(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	isl_union_set *own = isl_union_set_from_set(isl_set_universe(
		isl_set_get_space(stmt->domain)));
	isl_union_map *deps = isl_union_map_intersect_domain(
		poly_ordering_deps(prog), isl_union_set_copy(own));
	isl_bool is;

	deps = isl_union_map_subtract_range(deps, own);
	is = isl_union_map_is_empty(deps);
	isl_union_map_free(deps);
	return is == isl_bool_true;
}

/* Does "stmt" copy a slice of a temporary, which stays, to an output that
 * nothing else touches (scratch.c)? Fused with what it comes from, it would
 * hold that up.
 */
static bool is_last_copy(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	const struct poly_array *out = stmt->write_array;

	if (stmt->kind != POLY_POINT || stmt->reduce != POLY_OP_NONE ||
	    stmt->rhs->op != POLY_OP_ACCESS || poly_is_temp(out) ||
	    stmt->rhs->array->role != POLY_TEMP ||
	    stmt->rhs->array->n_dim <=
		isl_set_dim(stmt->domain, isl_dim_set))
		return false;
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i] != stmt && poly_touches(prog->stmt[i], out))
			return false;
	return is_last(prog, stmt);
}

/* The instances of the statements that are, or are not, such copies. */
static __isl_give isl_union_set *instances(struct poly_prog *prog,
	bool copies)
{
	isl_union_set *all = isl_union_set_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT &&
		    is_last_copy(prog, prog->stmt[i]) == copies)
			all = isl_union_set_add_set(all,
				isl_set_copy(prog->stmt[i]->domain));
	return all;
}

__isl_give isl_schedule *poly_schedule_deps(struct poly_prog *prog)
{
	isl_union_set *domain = instances(prog, false);
	isl_union_set *copies = instances(prog, true);
	bool part = isl_union_set_is_empty(copies) == isl_bool_false;
	bool steps = true, none = false;
	isl_schedule *schedule = schedule_exactly(prog, domain, part, true,
		&steps);

	if (!schedule && steps) {
		isl_ctx_reset_error(prog->ctx);
		schedule = schedule_exactly(prog, domain, part, true, &none);
	}
	if (!schedule) {
		isl_ctx_reset_error(prog->ctx);
		schedule = schedule_exactly(prog, domain, part, false, &none);
	}
	if (schedule && part)
		schedule = isl_schedule_sequence(schedule,
			schedule_exactly(prog, copies, true, true, &none));
	isl_union_set_free(copies);
	isl_union_set_free(domain);
	return schedule;
}

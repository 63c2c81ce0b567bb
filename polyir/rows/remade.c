/* Values that several row programs need are made by each of them, if that takes less
 * time than to store and load them:
 *
 *	e[i, j] = f(x[i, j])			e[i, j] = f(x[i, j])
 *	s[i] += e[i, j]				s[i] += e[i, j]
 *	t += s[i]				t += s[i]
 *	y[i, j] = e[i, j] / t			e2[i, j] = f(x[i, j])
 *						y[i, j] = e2[i, j] / t
 *
 * Both kernels go through x, and none through e. Which statements share a kernel is found
 * by the search for groups, on the program as it is; maps of which a group reads what
 * another makes, or what has a kernel of its own, get a twin, and so do those that they
 * read. Both ways are priced: bytes at the rate of memory, operators at that of the
 * schedulers.
 */
#include <stdlib.h>

#include <isl/aff.h>

#include "polyir/base/base.h"
#include "polyir/cost/cost.h"
#include "polyir/deps/deps.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sets/sets.h"
#include "polyir/rows/rows.h"

/* Maps in a row that have twins, at most; twins in all; values that are worth one; what
 * lanes of a multiprocessor begin in a cycle.
 */
enum { MOST_MAPS = 24, MOST_TWINS = 16, VALUES = 1 << 18, INSTRUCTIONS = 128 };

/* The arrays of one chain of maps, for the group "group", and those of their twins. "n_load"
 * are the arrays that twins load and the group does not, "bytes" the size of an element of
 * all of them; "work" are the operators.
 */
struct remade {
	struct poly_prog *prog;
	const int *group_of;
	int n_real;		/* groups, of which all others are maps by themselves */
	int group, n, n_load;
	struct poly_array *array[MOST_MAPS], *twin[MOST_MAPS], *load[MOST_MAPS];
	double bytes, work;
	bool fails;
};

/* The statement that makes "array", a map and the only one that writes it; else NULL. */
static struct poly_stmt *map_of(const struct poly_prog *prog,
	const struct poly_array *array)
{
	struct poly_stmt *map = NULL;

	if (!poly_is_temp(array) || array->scattered || array->space != POLY_GLOBAL)
		return NULL;
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (s->write_array != array)
			continue;
		if (map || s->kind != POLY_POINT || poly_is_update(s) ||
		    s->atomic || s->across || s->fold ||
		    poly_expr_accesses(s->rhs, array) ||
		    poly_expr_has(s->rhs, POLY_OP_LOOP, -1) ||
		    poly_recurrence_read(prog, s, NULL))
			return NULL;
		map = s;
	}
	return map && isl_set_dim(map->domain, isl_dim_set) == array->n_dim ?
		map : NULL;
}

/* Does a statement of the group read "array"? */
static bool group_reads(const struct remade *r, const struct poly_array *array)
{
	for (int i = 0; r->group_of && i < r->prog->n_stmt; i++)
		if (r->group_of[i] == r->group &&
		    poly_expr_accesses(r->prog->stmt[i]->rhs, array))
			return true;
	return false;
}

static void price_map(struct remade *r, struct poly_array *array);

/* Count what the twin of a map reads at "leaf": another twin, or an array that is loaded. */
static void price_leaf(struct poly_expr *leaf, void *user)
{
	struct remade *r = user;
	struct poly_array *a = leaf->array;

	r->fails |= leaf->op != POLY_OP_ACCESS;
	if (a->n_dim < r->array[0]->n_dim)
		return;
	if (map_of(r->prog, a)) {
		price_map(r, a);
		return;
	}
	for (int i = 0; i < r->n_load; i++)
		if (r->load[i] == a)
			return;
	if (r->n_load == MOST_MAPS) {
		r->fails = true;
		return;
	}
	r->load[r->n_load++] = a;
	if (!group_reads(r, a))
		r->bytes += poly_type_size(a->type);
}

/* Count the map that makes "array", and those that it needs, as to be made again. */
static void price_map(struct remade *r, struct poly_array *array)
{
	struct poly_stmt *s = map_of(r->prog, array);

	for (int i = 0; i < r->n; i++)
		if (r->array[i] == array)
			return;
	if (r->n == MOST_MAPS || r->fails) {
		r->fails = true;
		return;
	}
	r->array[r->n++] = array;
	r->work += poly_price_operators(r->prog, s->rhs);
	poly_expr_each_access(s->rhs, price_leaf, r);
	poly_expr_each_gather(s->rhs, price_leaf, r);
}

/* Had the group of "r" better make the values of "array" itself, which another one stores
 * and it loads?
 */
static bool is_sooner(struct remade *r, struct poly_array *array)
{
	const struct poly_rates *rates = poly_rates_of(&r->prog->target);
	double stored = 2.0 * poly_type_size(array->type) / rates->price_memory;
	double memory, issue;

	price_map(r, array);
	memory = r->bytes / rates->price_memory;
	issue = r->work / (INSTRUCTIONS *
		(double)r->prog->target.multiprocessors);
	return !r->fails && memory < stored && issue < stored;
}

/* A twin of the map that makes array number "k" of "r". */
static bool add_twin(struct remade *r, int k)
{
	struct poly_prog *prog = r->prog;
	struct poly_stmt *s = map_of(prog, r->array[k]), *twin = NULL;
	char *name = poly_unique_name(prog, s->name, "again");
	isl_multi_aff *same;
	isl_set *domain;

	r->twin[k] = poly_add_like(prog, r->array[k], "again");
	if (!name || !r->twin[k]) {
		free(name);
		return false;
	}
	domain = isl_set_set_tuple_name(isl_set_copy(s->domain), name);
	same = isl_multi_aff_identity_on_domain_space(isl_set_get_space(domain));
	same = isl_multi_aff_set_tuple_name(same, isl_dim_out, s->name);
	twin = poly_prog_add_stmt(prog, name, POLY_POINT, domain);
	free(name);
	if (twin) {
		struct poly_expr *value = poly_expr_copy(s->rhs);

		poly_expr_pullback(value, same);
		twin->loc = s->loc;
		poly_stmt_set_write(twin, r->twin[k],
			isl_multi_pw_aff_set_tuple_name(
				isl_multi_pw_aff_pullback_multi_aff(
					isl_multi_pw_aff_copy(s->write_index),
					isl_multi_aff_copy(same)),
				isl_dim_out, r->twin[k]->name),
			POLY_OP_NONE, value);
		poly_move_stmt(prog, prog->n_stmt - 1,
			poly_stmt_position(prog, s->name) + 1);
	}
	isl_multi_aff_free(same);
	return twin && twin->rhs;
}

/* Let the group, and the twins themselves, read twins of the arrays of "r". "in" are the
 * statements of the group, "n" of them.
 */
static bool add_twins(struct remade *r, struct poly_stmt *const *in, int n)
{
	for (int k = 0; k < r->n; k++)
		if (!add_twin(r, k))
			return false;
	for (int k = 0; k < r->n; k++) {
		for (int i = 0; i < n; i++)
			poly_stmt_rename(in[i], r->array[k], r->twin[k]);
		for (int i = 0; i < r->prog->n_stmt; i++)
			for (int e = 0; e < r->n; e++)
				if (r->prog->stmt[i]->write_array == r->twin[e])
					poly_stmt_rename(r->prog->stmt[i],
						r->array[k], r->twin[k]);
	}
	return true;
}

void poly_row_drop_unread(struct poly_prog *prog)
{
	for (int i = prog->n_stmt - 1; i >= 0; i--) {
		struct poly_stmt *s = prog->stmt[i];
		bool read = !map_of(prog, s->write_array);

		for (int k = 0; k < prog->n_stmt && !read; k++)
			read = k != i && poly_stmt_accesses(prog->stmt[k],
				s->write_array);
		if (read)
			continue;
		poly_prog_drop_writer(prog, s);
		i = prog->n_stmt;
	}
}

/* Has "array" values enough? */
static bool is_large(struct poly_prog *prog, const struct poly_array *array)
{
	const struct poly_stmt *s = map_of(prog, array);
	double n = 1;

	for (int d = 0; d < array->n_dim; d++)
		n *= poly_range_count(prog, isl_set_copy(s->domain), d);
	return n >= VALUES;
}

bool poly_row_remakes(struct poly_prog *prog, struct poly_array *array)
{
	struct remade r = { .prog = prog };

	return map_of(prog, array) && is_large(prog, array) &&
		is_sooner(&r, array);
}

/* Does a statement make "array" whose group is another one, or which is in none and others
 * read it, too?
 */
static bool is_made_elsewhere(const struct remade *r,
	const struct poly_array *array)
{
	const struct poly_prog *prog = r->prog;
	struct poly_stmt *s = map_of(prog, array);
	int own = s ? r->group_of[poly_stmt_position(prog, s->name)] : r->group;
	bool others = own < r->n_real;

	for (int i = 0; i < prog->n_stmt && !others; i++)
		others = r->group < r->n_real && r->group_of[i] != r->group &&
			poly_expr_accesses(prog->stmt[i]->rhs, array);
	return own != r->group && others;
}

/* Does a statement of the group that reads "array" go over more dimensions than that has, as
 * a product does?
 */
static bool has_product(const struct remade *r, const struct poly_array *array)
{
	for (int i = 0; i < r->prog->n_stmt; i++) {
		const struct poly_stmt *s = r->prog->stmt[i];

		if (r->group_of[i] == r->group &&
		    poly_expr_accesses(s->rhs, array) &&
		    isl_set_dim(s->domain, isl_dim_set) > array->n_dim)
			return true;
	}
	return false;
}

/* Let "group" make one more array itself that it reads; 1 if there is one, -1 without
 * memory.
 */
static int remake_one(struct poly_prog *prog, const int *group_of, int n_real,
	int group)
{
	struct poly_stmt **in = calloc(prog->n_stmt + 1, sizeof(*in));
	int n = 0, found = in ? 0 : -1;

	for (int i = 0; in && i < prog->n_stmt; i++)
		if (group_of[i] == group)
			in[n++] = prog->stmt[i];
	for (int i = prog->n_array - 1; in && i >= 0 && !found; i--) {
		struct poly_array *a = prog->array[i];
		struct remade r = { .prog = prog, .group_of = group_of,
			.n_real = n_real, .group = group };

		if (!is_made_elsewhere(&r, a) ||
		    !group_reads(&r, a) || has_product(&r, a) ||
		    !is_large(prog, a) ||
		    !is_sooner(&r, a))
			continue;
		found = add_twins(&r, in, n) ? 1 : -1;
	}
	free(in);
	return found;
}

/* Find the groups that there will be: "group_of" of the statements. A sum in none is one,
 * as it can be with a twin. Returns how many there are with maps by themselves, which are
 * the last ones, from "*n_real" on.
 */
static int find_groups(struct poly_prog *prog, int *group_of, const bool *next,
	int *n_real)
{
	int n = 0;

	for (int i = 0; i < prog->n_stmt; i++)
		group_of[i] = -1;
	for (int i = 0; i < prog->n_stmt && n < POLY_MOST_ROWS; i++) {
		struct poly_row_shape shape;
		struct poly_row_group g;

		if (group_of[i] >= 0 || !poly_is_update(prog->stmt[i]))
			continue;
		if (poly_row_group_find(&g, prog, i, group_of, next) &&
		    poly_row_shape(&g, &shape) && poly_row_fits(&g, &shape))
			for (int k = 0; k < g.n_stmt; k++)
				group_of[k] = g.in[k] ? n : group_of[k];
		group_of[i] = n++;
		poly_row_group_clear(&g);
	}
	*n_real = n;
	for (int i = 0; i < prog->n_stmt; i++)
		if (group_of[i] < 0)
			group_of[i] = n++;
	return n;
}

/* Let one more array be made by a group that reads it; as remake_one. */
static int remake_any(struct poly_prog *prog)
{
	int n = prog->n_stmt, n_group, n_real, found = 0;
	int *group_of = calloc(n + 1, sizeof(*group_of));
	bool *next = calloc((size_t)n * n + 1, sizeof(*next));

	if (group_of && next) {
		poly_note_edges(prog, prog->deps.flow, next);
		poly_note_edges(prog, prog->deps.anti, next);
		poly_note_edges(prog, prog->deps.output, next);
		n_group = find_groups(prog, group_of, next, &n_real);
		for (int k = 0; k < n_group && !found && n_real; k++)
			found = remake_one(prog, group_of, n_real, k);
	} else {
		found = -1;
	}
	free(group_of);
	free(next);
	return found;
}

/* The bytes of what an instance reads, of arrays of "n_dim" dimensions. */
struct read_bytes {
	int n_dim, n;
	struct poly_array *map;		/* the last one that a map makes */
	struct poly_prog *prog;
};

static void add_bytes(struct poly_expr *leaf, void *user)
{
	struct read_bytes *b = user;

	if (leaf->array->n_dim < b->n_dim)
		return;
	b->n += poly_type_size(leaf->array->type);
	if (leaf->op == POLY_OP_ACCESS && map_of(b->prog, leaf->array))
		b->map = leaf->array;
}

/* The cycles that an instance of "e" takes, which reads arrays of "n_dim" dimensions;
 * "*map" is one of them that a map makes, NULL: none is.
 */
static double cycles_of(struct poly_prog *prog, struct poly_expr *e, int n_dim,
	struct poly_array **map)
{
	struct read_bytes b = { .n_dim = n_dim, .prog = prog };
	double memory, issue;

	poly_expr_each_access(e, add_bytes, &b);
	*map = b.map;
	memory = b.n / poly_rates_of(&prog->target)->price_memory;
	issue = poly_price_operators(prog, e) / (INSTRUCTIONS *
		(double)prog->target.multiprocessors);
	return memory > issue ? memory : issue;
}

bool poly_row_take_maps(struct poly_prog *prog, struct poly_stmt *stmt)
{
	int n_dim = isl_set_dim(stmt->domain, isl_dim_set), n = 0;
	struct poly_expr *e = poly_expr_copy(stmt->rhs);
	double stored = 2.0 * poly_type_size(stmt->write_array->type) /
		poly_rates_of(&prog->target)->price_memory;
	struct poly_array *map = NULL;
	double before = e ? cycles_of(prog, e, n_dim, &map) : 0, after = before;

	while (e && map && n++ < MOST_MAPS &&
	       poly_compute_map(prog, &e, map_of(prog, map)))
		after = e ? cycles_of(prog, e, n_dim, &map) : 0;
	if (!e)
		return false;
	if (n && !map && after < before + stored) {
		poly_expr_free(stmt->rhs);
		stmt->rhs = e;
	} else {
		poly_expr_free(e);
	}
	return true;
}

isl_stat poly_remake_rows(struct poly_prog *prog)
{
	int n = 0, found = 1;

	while (found > 0 && n < MOST_TWINS) {
		found = remake_any(prog);
		n += found > 0;
		if (found <= 0)
			break;
		poly_row_drop_unread(prog);
		if (poly_deps(prog) < 0)
			return isl_stat_error;
	}
	if (found < 0)
		return isl_stat_error;
	return n ? poly_schedule(prog) : isl_stat_ok;
}

/* Who reads what a recurrence makes stands in its tiles, where it finds that in registers.
 *
 *	S: y[i] = y[i - 1] + x[i]		w[b, r] = ..
 *	R: z[j] = f(y[j + 3])			R[b, r]: z[L b + r - 3] = f(w[b, r])
 *
 * It is done for all readers of a temporary, or for none: then nothing stores that.
 */
#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/scans/scans.h"

/* A reader that is looked at. Coordinate k of what it reads is its dimension dim[k] and
 * plus[k], or, where that is -1, plus[k].
 */
struct turn {
	struct poly_prog *prog;
	struct poly_stmt *stmt;
	const struct poly_array *array;
	isl_multi_pw_aff *index;	/* of its reads; NULL: none yet */
	int dim[POLY_SCAN_DIMS];
	int64_t plus[POLY_SCAN_DIMS];
	bool fails;
};

/* Is "pa" one number on the instances? Set "*n" to that. */
static bool is_number(const struct turn *t, __isl_take isl_pw_aff *pa, int64_t *n)
{
	isl_val *least, *most;
	bool is;

	pa = isl_pw_aff_intersect_domain(pa, isl_set_intersect_params(
		isl_set_copy(t->stmt->domain), poly_known_sizes(t->prog)));
	least = isl_pw_aff_min_val(isl_pw_aff_copy(pa));
	most = isl_pw_aff_max_val(pa);
	is = isl_val_is_int(least) == isl_bool_true &&
		isl_val_eq(least, most) == isl_bool_true;
	*n = is ? isl_val_get_num_si(least) : 0;
	isl_val_free(least);
	isl_val_free(most);
	return is;
}

/* Find what coordinate "k" is; false if it is nothing of the kind. */
static bool find_coordinate(struct turn *t, int k)
{
	int n = isl_set_dim(t->stmt->domain, isl_dim_set);
	isl_local_space *space = isl_local_space_from_space(
		isl_set_get_space(t->stmt->domain));
	bool found = is_number(t, isl_multi_pw_aff_get_at(t->index, k),
		&t->plus[k]);

	t->dim[k] = -1;
	for (int d = 0; d < n && !found; d++) {
		isl_pw_aff *var = isl_pw_aff_var_on_domain(
			isl_local_space_copy(space), isl_dim_set, d);

		found = is_number(t, isl_pw_aff_sub(isl_multi_pw_aff_get_at(
			t->index, k), var), &t->plus[k]);
		if (found)
			t->dim[k] = d;
	}
	isl_local_space_free(space);
	return found;
}

/* Note what "leaf" reads, if it is the array: all reads must be of one element. */
static void look_at_leaf(struct poly_expr *leaf, void *user)
{
	struct turn *t = user;

	if (leaf->array != t->array)
		return;
	if (!t->index)
		t->index = isl_multi_pw_aff_copy(leaf->index);
	else
		t->fails |= isl_multi_pw_aff_is_equal(leaf->index, t->index) !=
			isl_bool_true;
}

/* Does a recurrence write "array"? */
static bool is_scanned(const struct poly_prog *prog,
	const struct poly_array *array)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->write_array == array &&
		    poly_recurrence_read(prog, prog->stmt[i], NULL))
			return true;
	return false;
}

/* Is "stmt" one that may stand at any points, once each? */
static bool may_move(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	isl_map *write = poly_stmt_write((struct poly_stmt *)stmt);
	bool may = stmt->kind == POLY_POINT && stmt->reduce == POLY_OP_NONE &&
		!stmt->atomic && !stmt->fold && !stmt->across &&
		!poly_earlier(stmt) &&
		isl_map_is_injective(write) == isl_bool_true &&
		!poly_expr_accesses(stmt->rhs, stmt->write_array) &&
		!is_scanned(prog, stmt->write_array);

	isl_map_free(write);
	return may;
}

/* Can the reader of "t" be told from the element that it reads? */
static bool can_turn(struct turn *t)
{
	int n = isl_set_dim(t->stmt->domain, isl_dim_set);
	unsigned seen = 0;

	t->index = NULL;
	t->fails = false;
	if (n > POLY_SCAN_DIMS || t->array->n_dim > POLY_SCAN_DIMS ||
	    !may_move(t->prog, t->stmt))
		return false;
	poly_expr_each_access(t->stmt->rhs, look_at_leaf, t);
	for (int k = 0; k < t->array->n_dim && !t->fails; k++) {
		t->fails = !find_coordinate(t, k) ||
			(t->dim[k] >= 0 && seen & 1u << t->dim[k]);
		if (t->dim[k] >= 0)
			seen |= 1u << t->dim[k];
	}
	isl_multi_pw_aff_free(t->index);
	return !t->fails && seen == (1u << n) - 1;
}

/* Is "pa" one number but for multiples of what rows are aligned to? Set "*n" to that. */
static bool is_number_aligned(__isl_take isl_pw_aff *pa, int64_t *n)
{
	static const enum isl_dim_type type[] = { isl_dim_param, isl_dim_in,
		isl_dim_div };
	isl_aff *aff = isl_pw_aff_isa_aff(pa) == isl_bool_true ?
		isl_pw_aff_as_aff(isl_pw_aff_copy(pa)) : NULL;
	isl_val *v = aff ? isl_aff_get_constant_val(aff) : NULL;
	bool is = v && isl_val_is_int(v) == isl_bool_true;

	*n = is ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	for (int i = 0; is && i < 3; i++)
		for (int k = 0; is && k < isl_aff_dim(aff, type[i]); k++) {
			v = isl_aff_get_coefficient_val(aff, type[i], k);
			is = isl_val_is_int(v) == isl_bool_true &&
				isl_val_get_num_si(v) % POLY_SCAN_ALIGN == 0;
			isl_val_free(v);
		}
	isl_aff_free(aff);
	isl_pw_aff_free(pa);
	return is;
}

/* How far the last coordinate of "index", an access of "stmt", is from dimension "d", but
 * for multiples of what rows are aligned to; 0: it does not go along that.
 */
static int64_t offset(struct poly_prog *prog, struct poly_stmt *stmt,
	__isl_keep isl_multi_pw_aff *index, int d, bool *found)
{
	struct turn t = { .prog = prog, .stmt = stmt };
	isl_pw_aff *var = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, d);
	int n = isl_multi_pw_aff_size(index);
	int64_t by = 0;

	if (n > 0)
		var = isl_pw_aff_sub(isl_multi_pw_aff_get_at(index, n - 1), var);
	*found = n > 0 && (is_number(&t, isl_pw_aff_copy(var), &by) ||
		is_number_aligned(isl_pw_aff_copy(var), &by));
	isl_pw_aff_free(var);
	return *found ? by : 0;
}

/* The reads of a recurrence, for its first one that goes along it. */
struct reads {
	struct poly_prog *prog;
	const struct poly_scan_box *box;
	int64_t by;
	bool found;
};

static void note_offset(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	if (!r->found && leaf->array != r->box->stmt->write_array)
		r->by = offset(r->prog, r->box->stmt, leaf->index,
			r->box->r.dim, &r->found);
}

int64_t poly_scan_offset(struct poly_prog *prog,
	const struct poly_scan_box *box, const struct poly_stmt *start)
{
	struct turn t = { .prog = prog, .array = box->stmt->write_array };
	struct reads r = { .prog = prog, .box = box };

	for (int i = 0; i < prog->n_stmt; i++) {
		bool found;
		int64_t by;

		t.stmt = prog->stmt[i];
		if (t.stmt == box->stmt || t.stmt == start ||
		    !poly_expr_accesses(t.stmt->rhs, t.array) || !can_turn(&t) ||
		    t.dim[box->coord] < 0)
			continue;
		by = offset(prog, t.stmt, t.stmt->write_index, t.dim[box->coord],
			&found);
		if (found)
			return by - t.plus[box->coord];
	}
	poly_expr_each_access(box->stmt->rhs, note_offset, &r);
	return r.by;
}

/* Note a read of the array at anything but the statement's own dimensions. */
static void note_apart(struct poly_expr *leaf, void *user)
{
	struct turn *t = user;

	for (int k = 0; leaf->array == t->array && k < t->array->n_dim; k++)
		t->fails |= poly_index_dim(leaf->index, k, t->stmt) < 0;
}

bool poly_scan_is_read_apart(const struct poly_prog *prog,
	const struct poly_stmt *scan)
{
	struct turn t = { .array = scan->write_array };

	for (int i = 0; i < prog->n_stmt && !t.fails; i++) {
		t.stmt = prog->stmt[i];
		if (t.stmt != scan)
			poly_expr_each_access(t.stmt->rhs, note_apart, &t);
	}
	return t.fails;
}

bool poly_scan_can_turn(struct poly_prog *prog, const struct poly_stmt *scan,
	const struct poly_stmt *start)
{
	struct turn t = { .prog = prog, .array = scan->write_array };
	bool any = false;

	if (!poly_is_temp(t.array))
		return false;
	for (int i = 0; i < prog->n_stmt; i++) {
		t.stmt = prog->stmt[i];
		if (t.stmt == scan || t.stmt == start ||
		    !poly_stmt_accesses(t.stmt, t.array))
			continue;
		if (t.stmt->write_array == t.array || !can_turn(&t))
			return false;
		any = true;
	}
	return any;
}

/* What is read in the place of the array. */
struct other {
	const struct poly_array *array;
	struct poly_array *row;
	__isl_keep isl_multi_pw_aff *index;
};

static void replace_read(struct poly_expr *leaf, void *user)
{
	const struct other *o = user;

	if (leaf->array != o->array)
		return;
	isl_multi_pw_aff_free(leaf->index);
	leaf->array = o->row;
	leaf->index = isl_multi_pw_aff_copy(o->index);
}

/* "{ X[..] -> R[..] }": the instance of the reader that reads the cell "at" of a point. */
static __isl_give isl_multi_aff *instance_of(const struct turn *t,
	__isl_keep isl_multi_aff *at)
{
	isl_space *to = isl_set_get_space(t->stmt->domain);
	int n = isl_space_dim(to, isl_dim_set);
	isl_aff_list *list = isl_aff_list_alloc(t->prog->ctx, n);

	for (int d = 0; d < n; d++) {
		int k = 0;

		while (t->dim[k] != d)
			k++;
		list = isl_aff_list_add(list, isl_aff_add_constant_si(
			isl_multi_aff_get_at(at, k), (int)-t->plus[k]));
	}
	to = isl_space_align_params(to, isl_multi_aff_get_domain_space(at));
	return isl_multi_aff_from_aff_list(isl_space_map_from_domain_and_range(
		isl_multi_aff_get_domain_space(at), to), list);
}

/* Where the cell "at" is one that the reader reads, of "points", which are taken. */
static __isl_give isl_set *where_read(const struct turn *t,
	__isl_take isl_set *points, __isl_keep isl_multi_aff *at,
	__isl_keep isl_multi_aff *instance)
{
	for (int k = 0; k < t->array->n_dim; k++) {
		isl_aff *rest = isl_aff_add_constant_si(isl_multi_aff_get_at(at,
			k), (int)-t->plus[k]);

		if (t->dim[k] >= 0)
			isl_aff_free(rest);
		else
			points = isl_set_intersect(points, isl_set_from_basic_set(
				isl_aff_zero_basic_set(rest)));
	}
	return isl_set_intersect(points, isl_set_preimage_multi_aff(
		isl_set_intersect_params(isl_set_copy(t->stmt->domain),
		poly_known_sizes(t->prog)), isl_multi_aff_copy(instance)));
}

isl_stat poly_scan_turn(struct poly_prog *prog, struct poly_stmt *reader,
	const struct poly_array *array, __isl_take isl_set *points,
	__isl_take isl_multi_aff *at, struct poly_array *row,
	__isl_take isl_multi_pw_aff *index)
{
	struct turn t = { .prog = prog, .stmt = reader, .array = array };
	struct other o = { array, row, index };
	isl_multi_aff *instance;
	isl_set *domain;

	if (!can_turn(&t)) {
		isl_set_free(points);
		isl_multi_aff_free(at);
		isl_multi_pw_aff_free(index);
		return isl_stat_error;
	}
	instance = instance_of(&t, at);
	domain = where_read(&t, points, at, instance);
	isl_multi_aff_free(at);
	isl_set_free(reader->domain);
	reader->domain = isl_set_drop_unused_params(
		isl_set_gist_params(domain, poly_known_sizes(prog)));
	poly_expr_pullback(reader->rhs, instance);
	poly_expr_each_access(reader->rhs, replace_read, &o);
	reader->write_index = isl_multi_pw_aff_pullback_multi_aff(
		reader->write_index, instance);
	isl_multi_pw_aff_free(index);
	return reader->domain && reader->write_index ? isl_stat_ok :
		isl_stat_error;
}

/* Is what a product finds in shared memory the element that it names?
 *
 * The element that is copied to where an operand is found must be the element
 * that the operand's access names: a question about maps, answered for all
 * instances at once,
 *
 *	D_mul -> its tile -> the copy of this tile -> the element at the
 *	operand's place in the buffer -> where the copy reads it
 *
 * and the same as the access of D_mul. The copy of the tile must have run by
 * then (the order walk, at the level of tiles), and no other copy to the
 * buffer in between. Products run full tiles, so what copies fill in where
 * the array ends must not count.
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

/* One operand of a product and what fills its buffer. */
struct operand {
	struct poly_prog *prog;
	const char *pass;
	struct poly_stmt *op, *point;	/* the CONTRACT and its member */
	struct poly_expr *leaf;		/* the access to the array */
	struct poly_array *buffer;
	__isl_keep isl_multi_pw_aff *index;
	struct poly_stmt *copy, *element;
};

/* Look at operand "o" of "op"; false if no copy of its array fills its buffer.
 */
static bool find_operand(struct operand *x, struct poly_prog *prog,
	struct poly_stmt *op, int o, const char *pass)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];

	*x = (struct operand){ .prog = prog, .pass = pass, .op = op,
		.point = op->member[0], .buffer = op->operand[o],
		.index = op->operand_index[o],
		.copy = poly_buffer_copy(prog, op->operand[o]) };
	if (!x->copy || poly_leaves(op->member[0], leaf) <= o)
		return false;
	x->leaf = leaf[o];
	x->element = poly_buffer_element(x->copy, x->buffer);
	return x->element->rhs->op == POLY_OP_ACCESS &&
		x->element->rhs->array == x->leaf->array;
}

/* Report that the copy does not have the values that the operand needs. */
static isl_stat refuse(const struct operand *x, const char *what)
{
	poly_report_add(x->prog->report, MSG_POLY_COPY_VALUE, NULL, x->pass,
		what);
	return isl_stat_error;
}

/* "true" passes, "false" is refused as the fault of the whole product. */
static isl_stat require(const struct operand *x, isl_bool answer)
{
	if (answer < 0)
		return poly_isl_error(x->prog, x->pass);
	return answer ? isl_stat_ok : refuse(x, x->op->name);
}

/* ---------------------------------------------------------------- elements */

static __isl_give isl_map *index_map(__isl_keep isl_multi_pw_aff *index)
{
	return isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(index));
}

/* "{ OP[t0, t1, tk, ..] -> COPY[t0, t1, tk, ..] }", or, of a group, "COPY[t0, t1,
 * z..]".
 */
static __isl_give isl_map *filling(const struct operand *x)
{
	isl_map *map = isl_set_identity(isl_set_copy(x->op->domain));
	int n = isl_set_dim(x->copy->domain, isl_dim_set);

	if (x->copy->kind == POLY_GROUP) {
		map = isl_map_project_out(map, isl_dim_out, 2, 1);
		map = isl_map_project_out(map, isl_dim_out, n,
			isl_map_dim(map, isl_dim_out) - n);
	}
	return isl_map_set_tuple_id(map, isl_dim_out,
		isl_set_get_tuple_id(x->copy->domain));
}

/* Which element a copy puts into which cell: "{ [COPY[t..] -> BUFFER[r..]] ->
 * ELEMENT[t.., r..] }".
 */
static __isl_give isl_map *put_where(const struct operand *x)
{
	return isl_map_reverse(isl_map_range_product(
		poly_member_tile(x->copy, x->element->write_index),
		index_map(x->element->write_index)));
}

/* The copied element that an instance of the product's member finds where "put",
 * which is taken, has put it: "{ D_mul[i..] -> ELEMENT[t.., r..] }". The divisions of tiles stay divisions of the instance:
 * as variables that exist, they would keep isl (0.25) busy for minutes.
 */
static __isl_give isl_pw_multi_aff *found(const struct operand *x,
	__isl_take isl_map *put)
{
	isl_pw_multi_aff *tile = isl_pw_multi_aff_from_map(
		isl_map_from_union_map(
			isl_union_map_copy(x->op->contraction)));
	isl_pw_multi_aff *cell = isl_pw_multi_aff_from_multi_pw_aff(
		isl_multi_pw_aff_copy(x->index));

	tile = isl_pw_multi_aff_pullback_pw_multi_aff(
		isl_pw_multi_aff_from_map(filling(x)), tile);
	return isl_pw_multi_aff_pullback_pw_multi_aff(
		isl_pw_multi_aff_from_map(put), isl_pw_multi_aff_range_product(tile, cell));
}

/* Does each instance of the product's member find the element that it names? */
static isl_bool finds_element(const struct operand *x,
	__isl_take isl_map *put)
{
	isl_set *domain = isl_set_intersect_params(
		isl_set_copy(x->point->domain),
		isl_set_copy(x->prog->context));
	isl_pw_multi_aff *at = found(x, put);
	isl_set *copied = isl_set_preimage_pw_multi_aff(
		isl_set_copy(x->element->domain), isl_pw_multi_aff_copy(at));
	isl_bool finds = isl_set_is_subset(domain, copied);

	if (finds == isl_bool_true)
		finds = poly_is_same_on(
			isl_multi_pw_aff_pullback_pw_multi_aff(
				isl_multi_pw_aff_copy(x->element->rhs->index),
				isl_pw_multi_aff_copy(at)),
			isl_multi_pw_aff_copy(x->leaf->index), domain);
	isl_pw_multi_aff_free(at);
	isl_set_free(domain);
	isl_set_free(copied);
	return finds;
}

/* Does every cell of the buffer get one element, and is it the one that the
 * product's access names? A group that fills the buffer from registers must
 * also keep these elements (poly_is_kept).
 */
static isl_stat check_element(const struct operand *x)
{
	isl_map *put = put_where(x);
	isl_bool right = isl_map_is_single_valued(put);

	if (right == isl_bool_true)
		right = finds_element(x, isl_map_copy(put));
	if (x->copy->kind == POLY_GROUP && right == isl_bool_true)
		right = isl_bool_ok(poly_is_kept(x->prog, x->copy, x->buffer));
	isl_map_free(put);
	return require(x, right);
}

/* "{ BUFFER[r, ..] : 0 <= r < rows and .. }" */
static __isl_give isl_set *buffer_box(const struct operand *x)
{
	isl_space *space = isl_multi_pw_aff_get_space(x->buffer->extent);
	isl_set *box;

	if (isl_space_is_set(space) != isl_bool_true)
		space = isl_space_range(space);
	box = isl_set_universe(space);
	for (int d = 0; d < x->buffer->n_dim; d++) {
		isl_pw_aff *size =
			isl_multi_pw_aff_get_at(x->buffer->extent, d);
		isl_val *n = isl_pw_aff_max_val(size);

		n = isl_val_sub_ui(n, 1);
		box = isl_set_lower_bound_si(box, isl_dim_set, d, 0);
		box = isl_set_upper_bound_val(box, isl_dim_set, d, n);
	}
	return box;
}

/* Do the copy and the product stay within the buffer? */
static isl_stat check_box(const struct operand *x)
{
	isl_map *use = isl_map_intersect_domain(index_map(x->index),
		isl_set_copy(x->point->domain));
	isl_map *fill = isl_map_intersect_domain(
		index_map(x->element->write_index),
		isl_set_copy(x->element->domain));
	isl_set *cells = isl_set_union(isl_map_range(use),
		isl_map_range(fill));
	isl_set *box = buffer_box(x);
	isl_bool inside;

	cells = isl_set_intersect_params(cells, isl_set_copy(x->prog->context));
	inside = isl_set_is_subset(cells, box);

	isl_set_free(cells);
	isl_set_free(box);
	return require(x, inside);
}

/* ------------------------------------------------------------------- order */

/* "{ COPY[t0, t1, tk] -> OP[t0, t1, tk] }" */
static __isl_give isl_union_map *own_use(const struct operand *x)
{
	return isl_union_map_from_map(isl_map_reverse(filling(x)));
}

/* The tile operations that fill the buffer, restricted to which "time". */
static __isl_give isl_union_map *fill_times(const struct operand *x,
	__isl_keep isl_union_map *time)
{
	isl_union_set *domain = isl_union_set_empty(
		isl_set_get_space(x->prog->context));

	for (int i = 0; i < x->prog->n_stmt; i++)
		if (poly_fills_buffer(x->prog->stmt[i], x->buffer))
			domain = isl_union_set_add_set(domain,
				isl_set_copy(x->prog->stmt[i]->domain));
	return isl_union_map_intersect_domain(isl_union_map_copy(time),
		domain);
}

/* The uses of the buffer -> the copies to the same slot. */
static __isl_give isl_union_map *same_slot(const struct operand *x)
{
	isl_union_map *fill = isl_union_map_empty(
		isl_set_get_space(x->prog->context));
	isl_map *use = poly_buffer_slots(x->op, x->buffer, x->index);

	for (int i = 0; i < x->prog->n_stmt; i++) {
		const struct poly_stmt *s = x->prog->stmt[i];

		if (poly_fills_buffer(s, x->buffer))
			fill = isl_union_map_add_map(fill,
				poly_buffer_slots(s, x->buffer,
					poly_buffer_element(s, x->buffer)->
						write_index));
	}
	return isl_union_map_apply_range(isl_union_map_from_map(use),
		isl_union_map_reverse(fill));
}

/* The uses of the buffer -> the copies to it that run between the use and the
 * copy that it needs. Blocks have their own buffers, and "time" tells which
 * block an instance belongs to.
 */
static __isl_give isl_union_map *overwritten(const struct operand *x,
	__isl_keep isl_union_map *time)
{
	isl_union_map *fill = fill_times(x, time);
	isl_union_map *use = isl_union_map_intersect_domain(
		isl_union_map_copy(time),
		isl_union_set_from_set(isl_set_copy(x->op->domain)));
	isl_union_map *after, *before;

	before = isl_union_map_lex_gt_union_map(use,
		isl_union_map_copy(fill));
	after = isl_union_map_lex_lt_union_map(isl_union_map_copy(fill),
		fill);
	after = isl_union_map_apply_range(
		isl_union_map_reverse(own_use(x)), after);
	after = isl_union_map_intersect(after, same_slot(x));
	return isl_union_map_intersect(after, before);
}

/* Refuse a product that runs after another copy has overwritten its slot of the
 * buffer. The message shows the use and that copy. "time" maps the instances in
 * the tree to their place in it.
 */
static isl_stat check_overwritten(const struct operand *x,
	__isl_keep isl_union_map *time)
{
	isl_union_map *pairs = overwritten(x, time);
	isl_bool empty = isl_union_map_is_empty(pairs);
	struct poly_str s = { 0 };
	struct poly_pair pair;

	if (empty == isl_bool_false) {
		pair = poly_witness(x->prog, pairs);
		poly_str_printf(&s, "%s, where %s has overwritten it",
			pair.source ? pair.source : "?",
			pair.sink ? pair.sink : "?");
		refuse(x, s.s ? s.s : x->op->name);
		free(pair.source);
		free(pair.sink);
		poly_str_free(&s);
	}
	isl_union_map_free(pairs);
	if (empty < 0)
		return poly_isl_error(x->prog, x->pass);
	return empty ? isl_stat_ok : isl_stat_error;
}

/* ----------------------------------------------------------------- landing */

/* "{ FROM[t0, t1, tk] -> TO[t0, t1, tk + later] }" */
static __isl_give isl_union_map *tiles_later(const struct poly_stmt *from,
	const struct poly_stmt *to, int later)
{
	isl_space *tile = poly_tile_tuple(from, from->name);
	int n = (int)isl_set_dim(to->domain, isl_dim_set);
	isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(tile), n);
	isl_map *map;

	list = poly_add_at(list, tile, 0, 2);
	list = isl_aff_list_add(list, isl_aff_add_constant_si(
		poly_at(tile, "tk"), later));
	list = poly_add_at(list, tile, 3, n);
	map = poly_function_map(tile, to->name, list);
	map = isl_map_intersect_domain(map, isl_set_copy(from->domain));
	return isl_union_map_from_map(isl_map_intersect_range(map,
		isl_set_copy(to->domain)));
}

/* The barrier that waits for the copies of the loop of the product "op", or NULL. */
static struct poly_stmt *find_wait(struct poly_prog *prog,
	const struct poly_stmt *op)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_SYNC &&
		    prog->stmt[i]->wait == poly_first_in_loop(op))
			return prog->stmt[i];
	return NULL;
}

/* Refuse a product that does not wait for the copies of its tiles. */
static isl_stat refuse_unwaited(const struct operand *x)
{
	isl_union_map *pairs = own_use(x);
	struct poly_pair pair = poly_witness(x->prog, pairs);
	struct poly_str s = { 0 };

	poly_str_printf(&s, "%s, which does not wait for %s",
		pair.sink ? pair.sink : "?", pair.source ? pair.source : "?");
	refuse(x, s.s ? s.s : x->op->name);
	poly_str_free(&s);
	free(pair.source);
	free(pair.sink);
	isl_union_map_free(pairs);
	return isl_stat_error;
}

/* The wait for a copy in bulk counts the tiles that came before in its slot: so
 * must the copy, and each tile of the product waits.
 */
static isl_stat check_turns(const struct operand *x,
	const struct poly_stmt *wait)
{
	isl_set *waits = isl_set_set_tuple_id(isl_set_copy(wait->domain),
		isl_set_get_tuple_id(x->op->domain));
	isl_bool all = isl_set_is_subset(x->op->domain, waits);

	isl_set_free(waits);
	if (require(x, all) < 0)
		return isl_stat_error;
	return poly_fills_in_turn(x->prog, x->copy) ? isl_stat_ok :
		refuse(x, x->copy->name);
}

/* Has an asynchronous copy landed when the product runs? The wait lets the
 * copies of "ahead" tiles be on their way: the last ones that were started. So
 * copies must start in the order of their tiles, those of the tiles ahead
 * before the wait, and the wait must come before the product.
 */
static isl_stat check_landing(const struct operand *x)
{
	struct poly_stmt *wait = find_wait(x->prog, x->op);
	isl_union_map *pairs;

	if (!x->copy->async)
		return isl_stat_ok;
	if (!wait)
		return refuse_unwaited(x);
	if (x->copy->bulk && check_turns(x, wait) < 0)
		return isl_stat_error;
	pairs = tiles_later(x->copy, wait, 0);
	pairs = isl_union_map_union(pairs,
		tiles_later(wait, x->op, 0));
	pairs = isl_union_map_union(pairs,
		tiles_later(x->copy, x->copy, 1));
	pairs = isl_union_map_union(pairs,
		tiles_later(x->copy, wait, -wait->ahead));
	return poly_check_pairs(x->prog, x->pass, pairs, true);
}

/* ------------------------------------------------------------------ checks */

/* What full tiles of the product add must count for nothing. */
static isl_stat check_full(struct poly_prog *prog, struct poly_stmt *op,
	const char *pass)
{
	struct operand x = { .prog = prog, .pass = pass, .op = op };

	for (int i = 0; i < prog->n_kernel && op->full; i++) {
		const struct poly_kernel *k = prog->kernel[i];
		isl_union_set *domain = poly_kernel_domain(prog, k);
		isl_set *own = isl_union_set_extract_set(domain,
			isl_set_get_space(op->domain));
		isl_bool other = isl_set_plain_is_empty(own);
		bool full = other == isl_bool_true ||
			poly_runs_full(prog, k, op);

		isl_set_free(own);
		isl_union_set_free(domain);
		if (require(&x, isl_bool_ok(full)) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

/* Check operand "o" of the product "op", if it is read from shared memory: the
 * right element, inside the buffer, copied before the product, not overwritten
 * since, and landed if the copy is asynchronous.
 */
static isl_stat check_operand(struct poly_prog *prog, struct poly_stmt *op,
	int o, __isl_keep isl_union_map *time, const char *pass)
{
	struct operand x;

	if (!op->operand[o])
		return isl_stat_ok;
	if (!find_operand(&x, prog, op, o, pass))
		return refuse(&x, op->name);
	if (check_element(&x) < 0 || check_box(&x) < 0 ||
	    poly_check_pairs(prog, pass, own_use(&x), true) < 0 ||
	    check_overwritten(&x, time) < 0)
		return isl_stat_error;
	return check_landing(&x);
}

/* The products that are only in kernels known to be legal, by their positions
 * among the statements; NULL without memory.
 */
static bool *known_products(struct poly_prog *prog)
{
	bool *known = calloc(prog->n_stmt + 1, sizeof(*known));

	for (int pass = 0; known && pass < 2; pass++)
		for (int i = 0; i < prog->n_kernel; i++) {
			struct poly_stmt **list;
			int n = 0;

			if (prog->kernel[i]->known != !pass)
				continue;
			list = poly_named_stmts(prog, prog->kernel[i], &n);
			for (int k = 0; list && k < n; k++)
				known[poly_stmt_position(prog,
					list[k]->name)] = !pass;
			free(list);
		}
	return known;
}

/* Check what the product "op" reads; the rest of the program may tell whether full
 * tiles count for nothing, so that is asked in any case.
 */
static isl_stat check_product(struct poly_prog *prog, struct poly_stmt *op,
	bool known, __isl_keep isl_union_map *time, const char *pass)
{
	const struct poly_kernel *k = poly_kernel_of(prog, op);
	struct operand x = { .prog = prog, .pass = pass, .op = op };

	if (k && k->blocks && !poly_may_take_turns(prog, k))
		return refuse(&x, k->name);
	for (int o = 0; !known && o < POLY_MAX_OPERAND; o++)
		if (check_operand(prog, op, o, time, pass) < 0)
			return isl_stat_error;
	return check_full(prog, op, pass);
}

isl_stat poly_check_copies(struct poly_prog *prog, const char *pass)
{
	isl_union_map *time = NULL;
	bool *known = known_products(prog);
	isl_stat ok = known ? isl_stat_ok : poly_isl_error(prog, pass);

	for (int i = 0; i < prog->n_stmt && ok == isl_stat_ok; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (s->kind != POLY_CONTRACT)
			continue;
		if (!known[i] && !time)
			time = isl_schedule_get_map(prog->schedule);
		if (!known[i] && !time)
			ok = poly_isl_error(prog, pass);
		else
			ok = check_product(prog, s, known[i], time, pass);
	}
	isl_union_map_free(time);
	free(known);
	return ok;
}

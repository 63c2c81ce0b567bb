/* A group of statements that go over the same rows, from its tree.
 *
 * The band above the mark has the rows, the bands below it have what goes along one.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/schedule_node.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/rows/rows.h"
#include "polyir/rows/row_join.h"

/* The reading of a group from its tree. */
struct reading {
	struct poly_row_group *g;
	bool known;
};

/* The dimension of "stmt" that "member" counts and that has no axis yet, -1: none. */
static int dim_of(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt, const signed char *axis)
{
	isl_pw_aff *pa = poly_member_at(member, stmt->domain);
	int n = isl_set_dim(stmt->domain, isl_dim_set), at = -1;

	for (int values = 0; values < 2; values++)
		for (int d = 0; d < n && d < POLY_ROW_DIMS && at < 0; d++)
			if (axis[d] < 0 && poly_is_dim(pa, stmt, d, values))
				at = d;
	isl_pw_aff_free(pa);
	return at;
}

/* Give the dimension of "stmt" that member "i" of "band" counts the axis "axis". */
static void read_member(struct reading *r,
	__isl_keep isl_multi_union_pw_aff *band, int i, int stmt, int axis)
{
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(band, i);
	int d = dim_of(member, r->g->prog->stmt[stmt], r->g->axis[stmt]);

	isl_union_pw_aff_free(member);
	r->known &= d >= 0;
	if (d >= 0)
		r->g->axis[stmt][d] = (signed char)axis;
}

/* Read a band: the axes from "first" on. */
static void read_band(struct reading *r, __isl_keep isl_schedule_node *node,
	int first)
{
	struct poly_prog *prog = r->g->prog;
	isl_multi_union_pw_aff *band =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_set *domain = poly_node_domain(node);
	int n, size = isl_multi_union_pw_aff_size(band);
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	*(first ? &r->g->n_row : &r->g->n_kept) = size;
	for (int k = 0; k < n; k++) {
		int stmt = poly_stmt_position(prog, list[k]->name);

		r->g->in[stmt] = true;
		for (int i = 0; i < size; i++)
			read_member(r, band, i, stmt, first + i);
	}
	r->known &= list && first + size <= POLY_ROW_DIMS;
	free(list);
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(band);
}

/* Read a band along the rows. */
static isl_bool read_below(__isl_keep isl_schedule_node *node, void *user)
{
	struct reading *r = user;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
		read_band(r, node, r->g->n_kept);
	return isl_bool_true;
}

bool poly_row_group_read(struct poly_row_group *g, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
	struct reading r = { g, true };
	int n = prog->n_stmt;

	*g = (struct poly_row_group) { .prog = prog, .n_stmt = n,
		.in = calloc(n, sizeof(*g->in)),
		.axis = calloc(n, sizeof(*g->axis)) };
	r.known = g->in && g->axis;
	for (int i = 0; r.known && i < n; i++)
		memset(g->axis[i], -1, sizeof(g->axis[i]));
	if (r.known) {
		read_band(&r, node, 0);
		isl_schedule_node_foreach_descendant_top_down(below, read_below,
			&r);
	}
	isl_schedule_node_free(below);
	return r.known && g->n_row && poly_row_measure(g);
}

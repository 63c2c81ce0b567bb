/* How many threads a block has in each direction, where no tile says so: fewer than
 * usual where these would leave multiprocessors without a block.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/map/map.h"
#include "polyir/map/map_points.h"

/* Threads where they are few and each has at least so many steps, so that the work
 * of a warp more on a multiprocessor is longer than one on another takes to begin.
 */
#define SHORT_LINE 32
#define MANY_STEPS 1000
/* Threads where there are many, and how often the device has then room for all of them: the
 * device begins with one block after another (price_block).
 */
#define LONG_LINE 256
#define ROUNDS 8
/* Threads of a block whose sums have lanes: as a rule, and at the least. */
#define LANE_THREADS 256
#define LEAST_LANE_THREADS 64
/* Blocks that keep all multiprocessors busy. */
#define BLOCKS 128

int poly_lane_rows(struct poly_mapping *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *member, int across)
{
	isl_union_set *domain = poly_node_domain(node);
	double n = poly_value_count(m->prog, domain,
		isl_union_pw_aff_copy(member));
	int rows = across <= POLY_LANES ? LANE_THREADS / across : 1;

	isl_union_set_free(domain);
	while (rows * across > LEAST_LANE_THREADS && rows > 1 &&
	       n < rows * BLOCKS)
		rows /= 2;
	return rows;
}

/* The instances of the statement of "domain" that has most, in boxes: those that
 * run.
 */
static double most_instances(struct poly_mapping *m, __isl_keep isl_union_set *domain)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(m->prog, domain, &n);
	double most = 0;

	for (int i = 0; i < n; i++) {
		isl_set *runs = poly_stmt_runs(list[i]);
		int n_dim = isl_set_dim(runs, isl_dim_set);
		double box = 1;

		for (int d = 0; d < n_dim; d++)
			box *= poly_range_count(m->prog, isl_set_copy(runs), d);
		isl_set_free(runs);
		most = box > most ? box : most;
	}
	free(list);
	return most;
}

int poly_line_threads(struct poly_mapping *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *points)
{
	isl_union_set *domain;
	int threads = POLY_LINE;
	double n;

	if (!poly_prog_is_fixed(m->prog) || m->prog->target.multiprocessors <= 1)
		return threads;
	domain = poly_node_domain(node);
	n = poly_value_count(m->prog, domain, isl_union_pw_aff_copy(points));
	if (n > SHORT_LINE && n <= (double)POLY_LINE * BLOCKS &&
	    most_instances(m, domain) >= MANY_STEPS * n)
		threads = SHORT_LINE;
	else if (m->prog->target.threads > 0 && n >= (double)ROUNDS *
		 m->prog->target.threads * m->prog->target.multiprocessors)
		threads = LONG_LINE;
	isl_union_set_free(domain);
	return threads;
}

int poly_row_threads(struct poly_mapping *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *p0, __isl_keep isl_union_pw_aff *p1)
{
	enum { FEWEST = 2 };
	isl_union_set *domain;
	int rows = POLY_BLOCK_ROWS;
	double n;

	if (!poly_prog_is_fixed(m->prog) || m->prog->target.multiprocessors <= 1)
		return rows;
	domain = poly_node_domain(node);
	n = poly_value_count(m->prog, domain, isl_union_pw_aff_copy(p0)) *
		poly_value_count(m->prog, domain, isl_union_pw_aff_copy(p1));
	isl_union_set_free(domain);
	while (rows > FEWEST &&
	       n < (double)rows * POLY_BLOCK_COLUMNS * m->prog->target.multiprocessors)
		rows /= 2;
	return rows;
}

/* A row of the verb bench while it runs: what bench_row.c and bench_side.c share. */
#ifndef TOOLS_BENCH_ROW_H
#define TOOLS_BENCH_ROW_H

#include "tools/bench/bench_call.h"

/* Allocations of a row; bytes at multiples of which arrays begin; how often a
 * row is measured against another build.
 *
 * The row's arrays are freed one by one, from this list.
 */
enum { BLOCKS_MOST = 4 * TOOL_BENCH_N_ARRAY, ALIGN = 256, AGAINST_TIMES = 3 };

/* The arrays of a row, to be freed.
 *
 * Everything that lives as long as the row does. What several rows need is in
 * "b".
 */
struct row {
	struct tool_bench *b;
	struct tool_bench_program *p, *rival;
	struct tool_bench_program *against;	/* if alone, or NULL */
	struct tool_bench_program other;	/* of --against */
	struct tool_bench_program *own[2];	/* of bases, to be freed */
	int n_own;
	bool alone;		/* without the bases of the form */
	struct tool_bench_timing t;
	uint64_t block[BLOCKS_MOST];
	struct tool_usage usage;
	int n_block, n_set, n_array;
	int64_t bytes;			/* of one set */
	enum tool_exit dropped;		/* why a side was, TOOL_OK: none was */
	double error, end_ms;
};

/* ------------------------------------------------------------ bench_side.c */

/* How many sets a row has: one, or enough to fill the cache three times.
 *
 * Two more than three caches take: the set that is used again has then left the
 * cache.
 */
int tool_bench_count_sets(const struct row *r);
/* Base "i" of a row of "form", or NULL; if our program is for any sizes, the
 * same for these sizes is one more; with --tuning and --config, what those
 * give, too. With --against there is that build alone.
 */
const struct tool_bench_base *tool_bench_base_at(const struct tool_bench *b,
	const struct tool_bench_form *form, int i);
/* True if what the base needs is there. */
bool tool_bench_has_base(const struct tool_bench *b,
	const struct tool_bench_base *base);
/* The build of --against as a base. */
extern const struct tool_bench_base tool_bench_against;
/* Make the sides: ours, then each base whose libraries are there.
 *
 * The first side is ours: all others are compared with it.
 */
enum tool_exit tool_bench_make_sides(struct row *r);

#endif

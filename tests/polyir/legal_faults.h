/* The faults of test_legal.c: what is edited in a legal program, which check has to
 * find it, the number of the message and what it has to say.
 */
#ifndef LEGAL_FAULTS_H
#define LEGAL_FAULTS_H

#include "legal_programs.h"
#include "edit.h"
#include "polyir/legal/legal.h"

#define MAX_EDIT 8

struct fault {
	const char *name;
	const char *program;
	const char *stop;	/* the last pass; NULL: all passes */
	isl_stat (*check)(struct poly_prog *prog, const char *pass);
	int number;
	const char *says[2];
	struct edit edit[MAX_EDIT];
};

#define REPLACE(a, b) { EDIT_REPLACE, a, b }
#define SWAP(a, b) { EDIT_SWAP, a, b }
#define MOVE(a, b) { EDIT_MOVE, a, b }
#define DROP(a) { EDIT_DROP, a, NULL }
#define TILES(name) name "[t0, t1, tk]"
#define LOOP "band coincident 0"
#define LEAF(name) "filter \"{ " name "["

/* What runs in the wrong order, or in none. */
static const struct fault order_fault[] = {
	{ "launches at one time that depend on one another", waves, NULL,
	  poly_check_order, 307, { "S1[1, 1, 0]", "S1[1, 2, 0]" },
	  { REPLACE("0 \"{ S1[l, s, i] -> [(l + s)] }", "0 \"{ S1[l, s, i] -> [(l)] }"),
	    REPLACE("1 \"{ S1[l, s, i] -> [(l)] }", "1 \"{ S1[l, s, i] -> [(s)] }") } },
	{ "launches at one time that add to one cell", shares, NULL,
	  poly_check_order, 307, { "S1[0, 0]", "S1[0, 8]" },
	  { REPLACE("[(floor((i)/8))]", "[(floor((k)/8))]"),
	    REPLACE("S1[i, k] -> S1[i' = i, k'] : 0 <= i < n and k >= 0 and k < k' < n",
		    "S1[i, k] -> S1[i' = i, k'] : 0 <= i < n and k >= 0 and k + 8 <= k' < n") } },
	{ "epilogue before the product", fig2, NULL,
	  poly_check_order, 306, { "D_mul[0, 0, 0]", "before E_add[0, 0]" },
	  { MOVE(LEAF("fig2_E_points"), LOOP) } },
	{ "initialisation behind the product", fig2, NULL,
	  poly_check_order, 306, { "D_init[0, 0]", "before D_mul[0, 0, 0]" },
	  { SWAP(LEAF("fig2_E_init"), LOOP) } },
	{ "initialisation behind the product, points", fig2, "map_points",
	  poly_check_order, 306, { "D_init[0, 0]", "before D_mul[0, 0, 0]" },
	  { SWAP(LEAF("D_init"), LEAF("D_mul")) } },
	{ "consumer's kernel first", chain, NULL,
	  poly_check_order, 306, { "E_add[0, 0]", "before G_mul[0, 0, 0]" },
	  { SWAP("mark kernel:chain_E", "mark kernel:chain_G"),
	    SWAP("\nkernel chain_E" + 1, "\nkernel chain_G" + 1) } },
	{ "consumer's kernel first, points", chain, "map_points",
	  poly_check_order, 306, { "E_add[0, 0]", "before G_mul[0, 0, 0]" },
	  { SWAP("mark kernel:chain_E", "mark kernel:chain_G"),
	    SWAP("\nkernel chain_E" + 1, "\nkernel chain_G" + 1) } },
	{ "band that runs the consumer a row early", fig2, "map_points",
	  poly_check_order, 306, { "D_", "before E_add[" },
	  { REPLACE("{ E_add[i, j] -> [(i), (j)] }",
		    "{ E_add[i, j] -> [(-1 + i), (j)] }") } },
	{ "band that runs backwards", sums, "map_points",
	  poly_check_order, 306, { "T_add[0, 0]", "before U_add[1, 0]" },
	  { REPLACE("read T \"{ U_add[i, j] -> T[(i), (j)] }\"",
		    "read T \"{ U_add[i, j] -> T[(-1 + i), (j)] }\""),
	    REPLACE("U_add[i' = i, j' = j]", "U_add[i' = 1 + i, j' = j]"),
	    REPLACE("\"{ T_add[i, j] -> [(i), (j)] }\"",
		    "\"{ T_add[i, j] -> [(-i), (j)] }\""),
	    REPLACE("\"{ U_add[i, j] -> [(i), (j)] }\"",
		    "\"{ U_add[i, j] -> [(-i), (j)] }\"") } },
	{ "members of a group swapped", group, NULL,
	  poly_check_order, 306, { "T_add[0, 0]", "before U_add[0, 0]" },
	  { REPLACE("member T_add U_add", "member U_add T_add") } },
	{ "copy behind its use", half, NULL,
	  poly_check_copies, 306, { "A_copy[0, 0, 0]",
	  "before D_mul_tile[0, 0, 0]" },
	  { MOVE(LEAF("A_copy"), LEAF("D_mul_tile_sync2")) } },
	{ "copy one round late", half, NULL,
	  poly_check_copies, 306, { "B_copy[0, 0, 0]",
	  "before D_mul_tile[0, 0, 0]" },
	  { REPLACE("\"{ " TILES("B_copy") " -> [(tk)] }\"",
		    "\"{ " TILES("B_copy") " -> [(1 + tk)] }\"") } },
	{ "set in place of a sequence", fig2, NULL,
	  poly_check_order, 307, { "D_", "without an order" },
	  { REPLACE("          sequence\n            filter \"{ fig2_E_init",
		    "          set\n            filter \"{ fig2_E_init") } },
	{ "set in place of a sequence, points", fig2, "map_points",
	  poly_check_order, 307, { "D_", "without an order" },
	  { REPLACE("sequence\n", "set\n") } },
	{ "kernels at the same time", chain, NULL,
	  poly_check_order, 307, { "E_add[0, 0]", "G_mul[0, 0, 0]" },
	  { REPLACE("\n    sequence\n", "\n    set\n") } },
	{ "copies and use at the same time", half, NULL,
	  poly_check_copies, 307, { "A_copy[0, 0, 0]",
	  "D_mul_tile[0, 0, 0]" },
	  { REPLACE("                sequence\n", "                set\n") } },
	{ "no sequence", sums, "map_points",
	  poly_check_order, 307, { "T_add[0, 0]", "U_add[0, 0]" },
	  { REPLACE("          sequence\n", ""),
	    REPLACE("            filter \"{ T_add[i, j] }\"\n", ""),
	    REPLACE("            filter \"{ U_add[i, j] }\"\n", "") } },
};

/* What runs in the wrong block or thread. */
static const struct fault place_fault[] = {
	{ "transposed consumer", sums, "map_points",
	  poly_check_place, 308, { "T_add[", "and U_add[" },
	  { REPLACE("U_add[i, j] -> T[(i), (j)]", "U_add[i, j] -> T[(j), (i)]"),
	    REPLACE("U_add[i' = i, j' = j]", "U_add[i' = j, j' = i]") } },
	{ "transposed consumer in a group", group, NULL,
	  poly_check_place, 308, { "T_add[", "and U_add[" },
	  { REPLACE("U_add[i, j] -> T[(i), (j)]", "U_add[i, j] -> T[(j), (i)]"),
	    REPLACE("U_add[i' = i, j' = j]", "U_add[i' = j, j' = i]") } },
	{ "transposed consumer of an accumulator", fig2, NULL,
	  poly_check_place, 308, { "D_", "and E_add[" },
	  { REPLACE("E_add[i, j] -> D[(i), (j)]", "E_add[i, j] -> D[(j), (i)]"),
	    REPLACE("E_add[i' = i, j' = j]", "E_add[i' = j, j' = i]") } },
	{ "transposed consumer within a block", small_sums, "map_points",
	  poly_check_place, 309, { "T_add[", "and U_add[" },
	  { REPLACE("U_add[i, j] -> T[(i), (j)]", "U_add[i, j] -> T[(j), (i)]"),
	    REPLACE("U_add[i' = i, j' = j]", "U_add[i' = j, j' = i]") } },
	{ "reduction over threads", split, "map_points",
	  poly_check_place, 310, { "S[0, 0]", "and S[0, 1]" },
	  { { EDIT_NONE, NULL, NULL } } },
	{ "point run by a whole block", split, "map_points",
	  poly_check_place, 314, { "kernel ks", "S" },
	  { REPLACE("kernel ks naive thread 8 32 tile 8 32 0 grid "
		    "\"[N] -> { [(1 + floor((-1 + N)/8))] }\" "
		    "\"[N] -> { [(1 + floor((-1 + N)/32))] }\"",
		    "kernel ks tiled thread 8 32 tile 8 32 0 grid "
		    "\"[N] -> { [(N)] }\" \"[N] -> { [(N)] }\""),
	    REPLACE("S[i, k] : i = 8b0 + t0 and k = 32b1 + t1 and "
		    "0 <= t0 <= 7 and 0 <= t1 <= 31",
		    "S[i, k] : i = b0 and k = b1") } },
	{ "register of another point", hidden, NULL,
	  poly_check_place, 315, { "T_add[", "and U_add[" },
	  { REPLACE("U_add[i, j] -> T[(i), (j)]",
		    "U_add[i, j] -> T[(16*floor((i)/16) + (i) mod 8), (j)]"),
	    REPLACE("U_add[i' = i, j' = j] : 0 <= i < N",
		    "U_add[i', j' = j] : 0 <= i' < N and "
		    "i = 16*floor((i')/16) + i' mod 8") } },
	{ "register of another kernel", chain, NULL,
	  poly_check_place, 315, { "E_add[0, 0]", "and " },
	  { REPLACE("array E f32 temp global", "array E f32 temp register") } },
	{ "register of another launch", waves, NULL,
	  poly_check_place, 315, { "S1[1, 1, 0]", "and S1[" },
	  { REPLACE("array h f32 inout global", "array h f32 temp register") } },
	{ "grid without the last tile", fig2, NULL,
	  poly_check_place, 316, { "D_init[0, 0]", "no block" },
	  { REPLACE("[M] -> { [(1 + floor((-1 + M)/64))] }",
		    "[M] -> { [(floor((M)/64))] }") } },
	{ "grid without the last tile, points", fig2, "map_points",
	  poly_check_place, 316, { "[0, 0]", "no block" },
	  { REPLACE("[N] -> { [(1 + floor((-1 + N)/32))] }",
		    "[N] -> { [(floor((N)/32))] }") } },
	{ "tile in another block", fig2, NULL,
	  poly_check_place, 316, { "D_mul_tile[", NULL },
	  { REPLACE("D_mul_tile[t0 = b0, t1 = b1, tk]",
		    "D_mul_tile[b1, b0, tk]") } },
	{ "point in another thread", small_sums, "map_points",
	  poly_check_place, 316, { "U_add[", NULL },
	  { REPLACE("U_add[i = 8b0 + t0",
		    "U_add[i = 7 + 8b0 - t0") } },
	{ "kernel of another tile size", fig2, NULL,
	  poly_check_place, 316, { "D_init[32, 0]", NULL },
	  { REPLACE("tile 64 128 16", "tile 32 128 16") } },
	{ "kernel of another depth", fig2, NULL,
	  poly_check_place, 316, { "D_mul[", NULL },
	  { REPLACE("tile 64 128 16", "tile 64 128 8") } },
};

/* What meets in shared memory without a barrier. */
static const struct fault barrier_fault[] = {
	{ "no barrier before the use", half, NULL,
	  poly_check_barriers, 309, { "A_copy[0, 0, 0]",
	  "and D_mul_tile[0, 0, 0]" },
	  { DROP("D_mul_tile_sync") } },
	{ "no barrier behind the use", half, NULL,
	  poly_check_barriers, 309, { "D_mul_tile[0, 0, 0]",
	  "and A_copy[0, 0, 1]" },
	  { DROP("D_mul_tile_sync2") } },
	{ "no barrier", half, NULL,
	  poly_check_barriers, 309, { "A_copy[0, 0, 0]",
	  "and D_mul_tile[0, 0, 0]" },
	  { DROP("D_mul_tile_sync"), DROP("D_mul_tile_sync2") } },
	{ "barrier between the copies", half, NULL,
	  poly_check_barriers, 309, { "B_copy[0, 0, 0]",
	  "and D_mul_tile[0, 0, 0]" },
	  { SWAP(LEAF("B_copy"), LEAF("D_mul_tile_sync")) } },
	{ "barrier not in the first round", half, NULL,
	  poly_check_barriers, 309, { "A_copy[0, 0, 0]",
	  "and D_mul_tile[0, 0, 0]" },
	  { REPLACE(TILES("D_mul_tile_sync") " : t0 >= 0 and 64t0 < M and "
		    "t1 >= 0 and 128t1 < N and tk >= 0",
		    TILES("D_mul_tile_sync") " : t0 >= 0 and 64t0 < M and "
		    "t1 >= 0 and 128t1 < N and tk >= 1") } },
	{ "barrier not behind the first round", half, NULL,
	  poly_check_barriers, 309, { "D_mul_tile[0, 0, 0]",
	  "and A_copy[0, 0, 1]" },
	  { REPLACE(TILES("D_mul_tile_sync2") " : t0 >= 0 and 64t0 < M and "
		    "t1 >= 0 and 128t1 < N and tk >= 0",
		    TILES("D_mul_tile_sync2") " : t0 >= 0 and 64t0 < M and "
		    "t1 >= 0 and 128t1 < N and tk >= 1") } },
	{ "barrier in a loop of its own", half, NULL,
	  poly_check_barriers, 309, { "A_copy[0, 0, 0]",
	  "and D_mul_tile[0, 0, 0]" },
	  { REPLACE("\"{ " TILES("D_mul_tile_sync") " -> [(tk)] }\"",
		    "\"{ " TILES("D_mul_tile_sync") " -> [(1 + tk)] }\"") } },
};

#define ELEMENT "A_copy_element[t0, t1, tk, r, c] -> "

/* What a product finds in its buffers. */
static const struct fault copy_fault[] = {
	{ "operands swapped", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("operand A_shared \"{ D_mul[i, j, k] -> A_shared[((i) "
		    "mod 64), ((k) mod 32)] }\"", "operand X"),
	    REPLACE("operand B_shared \"{ D_mul[i, j, k] -> B_shared[((k) "
		    "mod 32), ((j) mod 128)] }\"",
		    "operand A_shared \"{ D_mul[i, j, k] -> A_shared[((i) "
		    "mod 64), ((k) mod 32)] }\""),
	    REPLACE("operand X",
		    "operand B_shared \"{ D_mul[i, j, k] -> B_shared[((k) "
		    "mod 32), ((j) mod 128)] }\"") } },
	{ "row and column of the operand", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("A_shared[((i) mod 64), ((k) mod 32)]",
		    "A_shared[((j) mod 128), ((k) mod 32)]") } },
	{ "tile one row off", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("A[(64t0 + r), (32tk + c)]",
		    "A[(1 + 64t0 + r), (32tk + c)]") } },
	{ "tile one step off", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("A[(64t0 + r), (32tk + c)]",
		    "A[(64t0 + r), (-32 + 32tk + c)]") } },
	{ "wrong array", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("(read A \"{ " ELEMENT "A[", "(read C \"{ " ELEMENT "C[") } },
	{ "wrong tile size", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("A[(64t0 + r), (32tk + c)]",
		    "A[(32t0 + r), (32tk + c)]") } },
	{ "half a tile", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("0 <= r <= 63 and 0 <= c <= 31",
		    "0 <= r <= 31 and 0 <= c <= 31") } },
	{ "row and column of the copy", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE(ELEMENT "A_shared[(r), (c)]",
		    ELEMENT "A_shared[(c), (r)]") } },
	{ "small buffer", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("{ A_shared[(64), (32)] }", "{ A_shared[(32), (32)] }") } },
	{ "fill that counts", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("fill 0", "fill 1") } },
	{ "copy of the next tile in between", half, NULL,
	  poly_check_copies, 311, { "D_mul_tile[0, 0, 0]", "A_copy[0, 0, 1]" },
	  { REPLACE("\"{ " TILES("A_copy") " -> [(tk)] }\"",
		    "\"{ " TILES("A_copy") " -> [(-1 + tk)] }\"") } },
};

#define SLOT(s) s "[((tk) mod 2), (r), (c)]"
#define BULK REPLACE("fill 0 coalesce 1 async", "fill 0 coalesce 1 async bulk")
#define ZERO(s) s "[(0), (r), (c)]"

/* What runs ahead, but not rightly. */
static const struct fault pipeline_fault[] = {
	{ "no wait", fig2, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE("  wait D_mul_tile ahead 0\n", "") } },
	{ "wait for too few", fig2, NULL,
	  poly_check_copies, 306, { "A_copy[0, 0, 1]",
	  "D_mul_tile_wait[0, 0, 0]" },
	  { REPLACE("wait D_mul_tile ahead 0", "wait D_mul_tile ahead 1") } },
	{ "wait behind the product", fig2, NULL,
	  poly_check_copies, 306, { "D_mul_tile_wait[0, 0, 0]",
	  "D_mul_tile[0, 0, 0]" },
	  { SWAP(LEAF("D_mul_tile_wait"), LEAF("D_mul_tile")) } },
	{ "copy that starts a round late", fig2, NULL,
	  poly_check_copies, 306, { "A_copy[0, 0, 0]",
	  "D_mul_tile_wait[0, 0, 0]" },
	  { REPLACE("\"{ " TILES("A_copy") " -> [(-1 + tk)] }\"",
		    "\"{ " TILES("A_copy") " -> [(tk)] }\"") } },
	{ "copy that starts a round early", fig2, NULL,
	  poly_check_copies, 311, { "D_mul_tile[0, 0, 0]", "A_copy[0, 0, 2]" },
	  { REPLACE("\"{ " TILES("A_copy") " -> [(-1 + tk)] }\"",
		    "\"{ " TILES("A_copy") " -> [(-2 + tk)] }\"") } },
	{ "copies in the other order", fig2, NULL,
	  poly_check_copies, 311, { "D_mul_tile[0, 0, ", "A_copy[0, 0, " },
	  { REPLACE("\"{ " TILES("A_copy") " -> [(-1 + tk)] }\"",
		    "\"{ " TILES("A_copy") " -> [(-1 - tk)] }\"") } },
	{ "ring without its second slot", fig2, NULL,
	  poly_check_copies, 311, { "D_mul_tile[0, 0, 0]", "A_copy[0, 0, 1]" },
	  { REPLACE(SLOT("A_shared"), ZERO("A_shared")),
	    REPLACE("A_shared[(floor((k)/16) - 2*floor((k)/32)), ",
		    "A_shared[(0), ") } },
	{ "slot of another tile", fig2, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { REPLACE(SLOT("A_shared"),
		    "A_shared[((1 + tk) mod 2), (r), (c)]") } },
	{ "no wait for copies in bulk", whole, NULL,
	  poly_check_copies, 311, { "D_mul_tile[0, 0, 0], which does not wait",
	  "for A_copy[0, 0, 0]" },
	  { BULK, REPLACE("  wait D_mul_tile ahead 1\n", "") } },
	{ "wait for copies in bulk of some tiles", whole, NULL,
	  poly_check_copies, 311, { "D_mul_tile", NULL },
	  { BULK, REPLACE(TILES("D_mul_tile_wait") " : 0 <= t0 <= 1 and "
		    "0 <= t1 <= 1 and 0 <= tk", TILES("D_mul_tile_wait")
		    " : 0 <= t0 <= 1 and 0 <= t1 <= 1 and 1 <= tk") } },
	{ "ring of copies in bulk without its last slot", whole, NULL,
	  poly_check_copies, 311, { "D_mul_tile[0, 0, 0]", "B_copy[0, 0, 2]" },
	  { BULK, REPLACE("B_shared[((tk) mod 3)", "B_shared[((tk) mod 2)"),
	    REPLACE("B_shared[(floor((k)/8) - 3*floor((k)/24)), ",
		    "B_shared[(floor((k)/8) - 2*floor((k)/16)), ") } },
	{ "slots of copies in bulk in another order", whole, NULL,
	  poly_check_copies, 311, { "B_copy", NULL },
	  { BULK, REPLACE("B_shared[((tk) mod 3)",
		    "B_shared[((1 + tk) mod 3)"),
	    REPLACE("B_shared[(floor((k)/8) - 3*floor((k)/24)), ",
		    "B_shared[((1 + floor((k)/8)) mod 3), ") } },
	{ "no barrier at all", fig2, NULL,
	  poly_check_barriers, 309, { "_copy[0, 0, ", NULL },
	  { DROP("D_mul_tile_wait") } },
};

/* What threads hand on to one another through a buffer that a group fills. */
static const struct fault chain_fault[] = {
	{ "handed on without a barrier", products, NULL,
	  poly_check_barriers, 309, { "z_T_points[0, 0]",
	  "and Z_mul_tile[0, 0, 0]" },
	  { DROP("z_T_points_sync") } },
	{ "barrier before what it is for", products, NULL,
	  poly_check_barriers, 309, { "z_T_points[0, 0]",
	  "and Z_mul_tile[0, 0, 0]" },
	  { SWAP(LEAF("z_T_points"), LEAF("z_T_points_sync")) } },
	{ "handed on behind the use", products, NULL,
	  poly_check_copies, 306, { "z_T_points[0, 0]",
	  "Z_mul_tile[0, 0, 0]" },
	  { SWAP(LEAF("z_T_points"), LEAF("z_Z_points")) } },
	{ "another's element handed on", products, NULL,
	  poly_check_copies, 311, { "Z_mul_tile", NULL },
	  { REPLACE("T_keep[p0, p1] -> T[(p0), (p1)]",
		    "T_keep[p0, p1] -> T[(p0), (1 + p1)]") } },
	{ "zeros over an element", products, NULL,
	  poly_check_copies, 311, { "Z_mul_tile", NULL },
	  { REPLACE("p1 >= H)", "p1 >= -1 + H)") } },
	{ "a row without zeros", products, NULL,
	  poly_check_copies, 311, { "Z_mul_tile", NULL },
	  { REPLACE("p1 >= H)", "p1 >= 1 + H)") } },
	{ "row of another point", products, NULL,
	  poly_check_copies, 311, { "Z_mul_tile", NULL },
	  { REPLACE("{ Z_mul[i, j, k] -> T_shared[((i) mod 16), (k)] }",
		    "{ Z_mul[i, j, k] -> T_shared[((1 + i) mod 16), (k)] }") } },
	{ "rows that share a cell", products, NULL,
	  poly_check_copies, 311, { "Z_mul_tile", NULL },
	  { REPLACE("T_shared[((p0) mod 16), (p1)]",
		    "T_shared[((p0) mod 8), (p1)]"),
	    REPLACE("T_shared[((i) mod 16), (k)]",
		    "T_shared[((i) mod 8), (k)]") } },
};

#endif

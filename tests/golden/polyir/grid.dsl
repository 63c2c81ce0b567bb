# Parallel loops of kernels without tiles are digits of the grid, all of them; what a
# point has to itself is in registers.
# RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=GRID
# GRID: array S f32 temp register
# GRID: kernel grid_Y naive thread 8 32 {{.*}} batch "[B] -> { [(B)] }" "[C] -> { [(C)] }"
# GRID: band permutable coincident 1 1 1 1
# GRID-NOT: coincident 1
#
# Short loops of fixed sizes are one, the innermost first.
# RUN: %cetane build %s -DB=32 -DC=256 -DH=15 -DW=15 --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=SHORT
# SHORT: kernel grid_Y naive thread 8 32 {{.*}} grid "[C] -> { [(1 + floor((-1 + C)/8))] }" "[H, W] -> { [(1 + floor((-24 + 7H + W)/64))] }" batch "[B] -> { [(B)] }"
#
# A recurrence: what is parallel outside of it is inside, and a sum begins with it.
# RUN: %cetane build %S/../../programs/lstm.dsl --stop-after=schedule --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=SINK
# SINK: schedule
# SINK: g_sum_init[l, s, q, b, f] -> [(l + s)]
# SINK: g_sum_add[l, s, q, b, f, j] -> [(l + s)]
# SINK: g_sum_init[l, s, q, b, f] -> [(b), ({{[ls]}}), (q), (f)]
param B, C, H, W;
tensor f32 X(B,C,H,W);
S(b,c,i,j) for 0 <= i < (H-1)/2, 0 <= j < (W-1)/2 =
	max(p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,2*i+p,2*j+q));
out Y(b,c,i,j) = 2 * S(b,c,i,j);

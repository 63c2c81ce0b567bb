// Check that any reduction that shares what it reads takes the passes of a
// matrix product, here the shortest paths of length two: operands in shared
// memory, copied a tile ahead, an accumulator in registers, a register tile; and
// that its points are left out where the sum of zeros would not be neutral.
// RUN: %cetane build %s --emit=ast -o - | FileCheck %s
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=POLY
// CHECK:      _init(b0, b1);
// CHECK:      C_min_tile_wait(b0, b1, [[K:c[0-9]+]]);
// CHECK:      A_copy(b0, b1, [[K]] + 1);
// CHECK-NEXT: B_copy(b0, b1, [[K]] + 1);
// CHECK:      C_min_tile(b0, b1, [[K]]);
// CHECK-NOT:  _sync
// POLY:       array C_acc f32 temp register
// POLY:       array A_shared f32 temp shared
// POLY:       array B_shared f32 temp shared
// POLY:       stmt C_min_tile contract
// POLY:       operand A_shared
// POLY:       operand B_shared
// POLY-NOT:   full
// POLY:       coalesce 1 async
// POLY:       coalesce 1 async
// POLY:       kernel any_product_C tiled {{.*}} vec 1 4 steps 4 stages 2
param M, N, K;
tensor f32 A(M,K), B(K,N);
out C(i,j) min= A(i,k) + B(k,j);

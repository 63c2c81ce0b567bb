// Check that further parallel dimensions are digits of the grid and further
// dimensions of a summation loops around that over its tiles, and that one
// barrier a tile keeps the next round of that loop from the buffers in use.
// RUN: %cetane build %s --emit=ast -o - | FileCheck %s
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=POLY
// CHECK:      _init(b0, b1, b2, b3);
// CHECK:      for (int [[U:c[0-9]+]] = 0; [[U]] < K;
// CHECK:      C_add_tile_wait(b0, b1, [[K:c[0-9]+]], b2, b3, [[U]]);
// CHECK:      A_copy(b0, b1, [[K]] + 1, b2, b3, [[U]]);
// CHECK-NEXT: B_copy(b0, b1, [[K]] + 1, b2, b3, [[U]]);
// CHECK:      C_add_tile(b0, b1, [[K]], b2, b3, [[U]]);
// CHECK-NEXT: C_add_tile_sync(
// CHECK:      _points(b0, b1, b2, b3);
// POLY:       kernel {{.*}} tiled {{.*}} batch "[M] -> { [(M)] }" "[N] -> { [(N)] }"
param M, N, P, Q, K, L;
tensor f32 A(M,K,P,L), B(L,N,K,Q);
out C(i,j,p,q) += A(i,k,p,l) * B(l,j,k,q);

// Check that loops of one axis are merged where extents are constants: tiles
// are cut from rows i, p, columns j, q and steps k, l, and what a point stands
// for is found by floors and remainders. No loop of the batch is left.
// RUN: %cetane build %s -D I=61 -D J=67 -D P=33 -D Q=31 -D K=59 -D L=37 \
// RUN:   --emit=poly -o - | FileCheck %s
// CHECK: stmt C_add point
// CHECK: at "{ [y0, y1, y2] -> C_add[(floor((y0)/33)), (floor((y1)/31)), ((y0) mod 33), ((y1) mod 31), (floor((y2)/37)), ((y2) mod 37)] }"
// CHECK: stmt C_add_tile contract {{.*}} C_add_tile[t0, t1, tk] :
// CHECK: kernel {{.*}}_C tiled {{.*}} grid "{ [(8)] }" "{ [(33)] }"{{$}}
// Rows of whole runs are copied by these, and so are runs within a merged loop.
// RUN: %cetane build %s -D I=9 -D J=10 -D P=16 -D Q=24 -D K=6 -D L=20 \
// RUN:   --emit=ptx --arch=sm_90a -o - | FileCheck %s --check-prefix=RUNS
// RUNS: cp.async.cg.shared.global {{.*}}, 16
// Sizes that are not fixed, a loop that moves all operands, and a loop that is
// long enough stay as they are.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=LEFT
// RUN: %cetane build %s -D I=600 -D J=67 -D P=33 -D Q=600 -D K=59 -D L=600 \
// RUN:   --emit=poly -o - | FileCheck %s --check-prefix=LEFT
// LEFT: stmt C_add_tile contract {{.*}}C_add_tile[t0, t1, tk, z0, z1, u0]
// LEFT: kernel {{.*}}_C tiled {{.*}} batch
param I, J, P, Q, K, L;
tensor f32 A(I,K,P,L), B(L,J,K,Q);
out C(i,j,p,q) += A(i,k,p,l) * B(l,j,k,q);

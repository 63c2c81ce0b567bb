// Check that warps multiply the last step of a tile behind the next tile's barrier and
// first loads, and that of the last tile behind the loop: ptxas found no loads to run
// ahead where each tile began with them. Two warps side by side have columns of their own,
// and what ptxas gets has registers for both steps.
// REQUIRES: ptxas
// RUN: %cetane build %s -DM=2048 -DN=2048 -DK=2048 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s
// RUN: %cetane build %s -DM=2048 -DN=2048 -DK=2048 --arch=sm_90a --emit=cubin -o %t.cubin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CUBIN
// CHECK:     cp.async.wait_group
// CHECK:     bar.sync 0
// CHECK-NOT: mma.sync
// CHECK:     ld.shared.b64
// CHECK-NOT: mma.sync
// CHECK:     @%p{{[0-9]+}} bra
// CHECK-NOT: ld.shared
// CHECK:     mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64
// CHECK:     ld.shared.b64
// CHECK:     st.global
// CUBIN:     0 bytes stack, 0 bytes spill stores
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(DOUBLE, {C});

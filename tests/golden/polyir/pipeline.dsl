// Check copies that run a tile ahead: one barrier, which waits for the copies of
// the tile, before the next copies and the product; and that a program whose
// elements cannot be copied so keeps its loop (barriers.dsl).
// RUN: %cetane build %s --emit=ast -o - | FileCheck %s
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=POLY
// RUN: %cetane build %s --arch=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: %cetane build %s --arch=sm_75 --emit=ptx -o - | FileCheck %s --check-prefix=OLD
// CHECK:      _init(
// CHECK:      _wait({{.*}}, [[K:c[0-9]+]]);
// CHECK:      A_copy({{.*}}, [[K]] + 1);
// CHECK-NEXT: B_copy({{.*}}, [[K]] + 1);
// CHECK:      _tile({{.*}}, [[K]]);
// CHECK-NOT:  _sync
// POLY:       array A_shared f32 temp shared "{ A_shared[(2), (64), (32)] }" pad 4
// POLY:       fill 0 coalesce 1 async
// POLY:       wait C_mul_tile ahead 0
// POLY:       kernel {{.*}} steps 4 stages 2
// PTX:        cp.async.wait_group {{.*}}0;
// PTX-NEXT:   bar.sync
// PTX:        cp.async.ca.shared.global
// PTX:        cp.async.commit_group
// OLD-NOT:    cp.async
// OLD:        st.shared
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});

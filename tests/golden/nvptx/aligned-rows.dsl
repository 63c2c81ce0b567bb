// Rows of a version for multiples of 16 bytes are aligned, whatever their number:
// all of the accumulators are stored four at a time; elsewhere one by one.
// RUN: %cetane build %s --arch=sm_90a --versions=1 --emit=ptx -o - | FileCheck %s
// RUN: %cetane build %s --arch=sm_90a --versions=2 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=ALIGNED
// CHECK:       .entry
// CHECK-NOT:   st.global.v4
// ALIGNED:     .entry {{.*}}$v1(
// ALIGNED-NOT: st.global.b32
// ALIGNED:     st.global.v4
// ALIGNED-NOT: st.global.b32
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});

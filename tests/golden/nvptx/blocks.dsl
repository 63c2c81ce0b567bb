// Check that the blocks for few tiles, and those of parts, assemble without a
// stack frame or spills; and that runs of points beyond the edge of an array
// are left out as one, and stored as one.
// REQUIRES: ptxas
// RUN: for size in "-DM=128 -DN=256 -DK=7168" "-DM=32 -DN=6656 -DK=384" \
// RUN:   "-DM=1152 -DN=1280 -DK=3072" "-DM=64 -DN=64 -DK=256" \
// RUN:   "-DM=384 -DN=7296 -DK=4864" "-DM=5 -DN=97 -DK=1009"; do \
// RUN:   %cetane build %s $size --emit=cubin --arch=sm_90a -o %t.cubin 2>&1 \
// RUN:     || exit 1; done | FileCheck %s
// CHECK-COUNT-12: registers, 0 bytes stack, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: registers
//
// RUN: %cetane build %s -DM=64 -DN=20 -DK=64 --emit=ptx --arch=sm_90a -o - | FileCheck %s --check-prefix=STORE
// RUN: %cetane build %s -DM=64 -DN=20 -DK=64 --emit=ptx --arch=sm_90a -o - | FileCheck %s --check-prefix=ASYNC
// STORE-NOT: st.global.b32
// STORE:     st.global.v4.b32
// STORE-NOT: st.global.b32
// ASYNC:     cp.async.cg.shared.global [{{.*}}], [%rd{{[0-9]+}}{{.*}}], 16, %r
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});

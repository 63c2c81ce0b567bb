// Check that every target's kernel assembles without a stack frame or spills,
// and that registers, spills and shared bytes are shown.
// REQUIRES: ptxas
// RUN: for arch in %archs; do \
// RUN:   for type in %types; do \
// RUN:     sed "s/FLOAT,/$type,/" %s > %t.dsl; \
// RUN:     %cetane build %t.dsl --emit=cubin --arch=$arch -o %t.cubin > %t.said 2>&1 && \
// RUN:     FileCheck %s < %t.said || exit 1; \
// RUN:   done; done
// CHECK: registers, 0 bytes stack, 0 bytes spill stores, 0 bytes spill loads, {{[1-9][0-9]*}} bytes shared
// CHECK-NOT: registers
//
// The same where the summation is known to fit into few tiles; ptxas spilled
// with all steps of one tile, or all tiles, unrolled.
// RUN: for size in "-DM=65 -DK=1 -DN=100" "-DM=3 -DK=33 -DN=2"; do \
// RUN:   for type in INT FLOAT DOUBLE BFLOAT16; do \
// RUN:     sed "s/FLOAT,/$type,/" %s > %t.dsl; \
// RUN:     %cetane build %t.dsl $size --emit=cubin -o %t.cubin 2>&1 || exit 1; \
// RUN:   done; done | FileCheck %s --check-prefix=ONE
// ONE-COUNT-8: registers, 0 bytes stack, 0 bytes spill stores, 0 bytes spill loads, {{[1-9][0-9]*}} bytes shared
// ONE-NOT: registers
Params M, K, N;
Matrix A(M,K); Matrix B(K,N); Matrix V(1,N);
T = A * B;
C = ReLU(T + V);
CodeGen(FLOAT, {C});

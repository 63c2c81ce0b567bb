// Check that ptxas lets warpgroups go on: it says nothing of the code, spills nothing,
// and has registers for all, whatever the operands' rows are and however many tiles
// there are.
// REQUIRES: ptxas
// RUN: for size in "-DM=512 -DN=512 -DK=512" "-DM=4096 -DN=4096 -DK=64" \
// RUN:     "-DM=4096 -DN=4096 -DK=4096" "-DM=520 -DN=1040 -DK=2056"; do \
// RUN:   for product in "A * B" "A^T * B" "A * B^T"; do \
// RUN:     sed "s/A \* B;/$product;/; s/A(M,K)/A($(echo $product | grep -q 'A^T' && echo K,M || echo M,K))/; \
// RUN:       s/B(K,N)/B($(echo $product | grep -q 'B^T' && echo N,K || echo K,N))/" %s > %t.dsl; \
// RUN:     %cetane build %t.dsl $size --arch=sm_90a --emit=cubin -o %t.cubin 2>&1 || exit 1; \
// RUN:   done; done > %t.said
// RUN: FileCheck %s < %t.said
// CHECK-COUNT-12: registers, 0 bytes stack, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: W456
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(BFLOAT16, {C});

// Check that a point-wise program has neither shared memory nor barriers
// (FEATURES D26), however its operands are broadcast or transposed.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s
// CHECK:     kernel {{.*}} tiled
// CHECK-NOT: copy "
// CHECK-NOT: sync "
Params M, N;
Matrix A(M,N); Matrix B(N,M); Matrix r(1,N); Matrix c(M,1);
C = (A + B^T + r) .* c;
CodeGen(FLOAT, {C});

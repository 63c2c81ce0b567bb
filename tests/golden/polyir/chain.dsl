// Check that a product of a product is two kernels: the second needs whole
// rows of the first.
// RUN: %cetane build %s --emit=ast -o - | FileCheck %s
// CHECK-COUNT-2: // kernel:
// CHECK-NOT: // kernel:
Params M, N, K, L;
Matrix A(M,K); Matrix B(K,N); Matrix C(N,L);
D = A * B * C;
CodeGen(FLOAT, {D});

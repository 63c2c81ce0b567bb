// Check that two products of one shape share a kernel and a register tile
// each, and that buffers are not shared between them.
// RUN: %cetane build %s --emit=ast -o - | FileCheck %s
// CHECK: for (int c2
// CHECK:   A_copy(
// CHECK:   B_copy(
// CHECK: for (int c2
// CHECK:   C_copy(
// CHECK:   D_copy(
// CHECK: _points{{[0-9]*}}(
Params M, N, K, L;
Matrix A(M,K); Matrix B(K,N); Matrix C(M,L); Matrix D(L,N);
E = A * B + C * D;
CodeGen(FLOAT, {E});

// Check that a factor which only moves with the summation has a buffer of one
// column, and that zeros where the arrays end let full tiles run.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s
// CHECK:  array w_shared f32 temp shared "{ w_shared[(2), (32), (1)] }"
// CHECK:  operand A_shared
// CHECK:  operand B_shared
// CHECK:  operand w_shared {{.*}} ((k) mod 32), (0)]
// CHECK:  full
param M, N, K;
tensor f32 A(M,K), B(K,N), w(K);
out C(i,j) += A(i,k) * B(k,j) * w(k);

// Check the last writer of a product of inner size 1 (FEATURES D18, D19): no
// dependence within the node, and yet every instance is a last writer.
// RUN: %cetane build %s --emit=deps -o - | FileCheck %s
// CHECK:     P_T_mul = { }
// CHECK-NEXT: LM_T_mul = {{.*}}T_mul[i, j, k
// CHECK-SAME: -> T[i, j]
// CHECK:     RAW {{.*}} -> {{.*}} = {{.*}}T_mul
Params M, N;
Matrix A(M,1); Matrix B(1,N); Matrix C(M,N);
T = A * B;
E = T + C;
CodeGen(FLOAT, {E});

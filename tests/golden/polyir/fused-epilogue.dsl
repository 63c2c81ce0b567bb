// Check that GEMM + bias + ReLU is one kernel without a temporary in memory
// (FEATURES D35): T and the sum live in registers.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s
// CHECK-DAG: array T f32 temp register
// CHECK-DAG: array C f32 output global
// CHECK-NOT: temp global
// CHECK:     kernel {{.*}}_C tiled
// CHECK-NOT: kernel {{.*}} tiled
// CHECK:     mark kernel:{{.*}}_C
// CHECK-NOT: mark
Params M, N, K;
Matrix A(M,K); Matrix B(K,N); Matrix V(1,N);
T = A * B;
C = ReLU(T + V);
CodeGen(FLOAT, {C});

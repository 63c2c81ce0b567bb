// Check the naive mapping: one thread a point, the reduction in the thread.
// RUN: %cetane build %s --emit=ast --map=naive -o - | FileCheck %s
// CHECK:      if ({{.*}}M{{.*}}b0{{.*}}N{{.*}}b1
// CHECK-NEXT:   // kernel:naive_C
// CHECK-NEXT:   {
// CHECK-NEXT:   C_init(
// CHECK-NEXT:   for (int [[K:c[0-9]+]] = 0; [[K]] < K; [[K]] += 1)
// CHECK-NEXT:     C_mul({{.*}}, [[K]]);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT:  for
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});

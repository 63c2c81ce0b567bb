// Check that a product that has been cut into two kernels keeps its sums in registers in
// both: no kernel reads the elements of the other, so nothing is stored but the result.
// RUN: %cetane build %s --arch=sm_90a --emit=poly -o - | FileCheck %s
// RUN: %cetane build %s --arch=sm_90a --emit=object -o %t.o
// CHECK-NOT:  temp global
// CHECK-DAG:  array C_acc f32 temp register
// CHECK-DAG:  array C_acc_acc f32 temp register
// CHECK-NOT:  acc_store
// CHECK-DAG:  kernel {{.*}} unit wgmma.m64k16.bf16 blocks 132
// CHECK-DAG:  kernel {{.*}}_C2 tiled {{.*}} unit wgmma.m64k16.bf16 blocks 132
Matrix A(1536,4480); Matrix B(4480,3456);
C = A * B;
CodeGen(BFLOAT16, {C});

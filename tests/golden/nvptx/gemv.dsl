// Check products with vectors: along rows by lanes, in one kernel; along
// columns by neighbouring threads, in parts that another kernel adds up.
// RUN: %cetane build %s -D M=4096 -D N=4096 --emit=ptx -o - | FileCheck %s
// CHECK:          .entry gemv_y
// CHECK-COUNT-8:  ld.global.nc.v4.b32
// CHECK-COUNT-5:  shfl.sync.bfly.b32
// CHECK:          .entry gemv_z_part
// CHECK-COUNT-16: ld.global.nc.b32
// CHECK:          .entry gemv_z(
// CHECK-COUNT-32: ld.global.nc.b32
// CHECK-NOT:      {{bra|.local}}
// RUN: %cetane build %s -D M=4096 -D N=4096 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=POLY
// POLY-DAG: array z_part f32 temp global "{{.*}}[(32), (N), (1)] }"
// POLY-DAG: write y {{.*}} across 32
Params M, N;
Matrix A(M,N); Matrix x(N,1); Matrix w(M,1);
y = A * x;
z = A^T * w;
CodeGen(FLOAT, {y, z});

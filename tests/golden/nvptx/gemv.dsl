// Check products with vectors, each in one kernel: along rows by the
// threads of a block; along columns by neighbouring threads, and rows of threads that share
// each column.
// RUN: %cetane build %s -D M=4096 -D N=4096 --emit=ptx -o - | FileCheck %s
// CHECK:          .entry gemv_y
// CHECK-COUNT-8:  ld.global.nc.v4.b32
// CHECK-COUNT-5:  shfl.sync.bfly.b32
// CHECK:          bar.sync
// CHECK:          .entry gemv_z
// CHECK-COUNT-32: ld.global.nc.b32
// CHECK:          bar.sync
// CHECK-COUNT-32: ld.shared
// CHECK-NOT:      {{bar.sync|shfl|.local|.entry}}
// RUN: %cetane build %s -D M=4096 -D N=4096 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=POLY
// POLY-DAG: write z {{.*}} across 32 down{{$}}
// POLY-DAG: write y {{.*}} across 256{{$}}
Params M, N;
Matrix A(M,N); Matrix x(N,1); Matrix w(M,1);
y = A * x;
z = A^T * w;
CodeGen(FLOAT, {y, z});

// Check that long loops whose steps stay in the order of the text are each run by a warp,
// in front of the kernel: a lane loads a term, and what the lanes have is added one by one.
// RUN: %cetane build %s --arch=sm_90a --fp=strict --emit=ptx -o - | FileCheck %s
// CHECK:      .entry long_in_order_y$long(
// CHECK:      .entry long_in_order_y$pieces(
// CHECK-COUNT-16: ld.global.nc.b32
// CHECK:      shfl.sync.idx.b32 [[A:%r[0-9]+]], %r{{[0-9]+}}, 0, 31, -1;
// CHECK:      shfl.sync.idx.b32 [[B:%r[0-9]+]], %r{{[0-9]+}}, 0, 31, -1;
// CHECK:      fma.rn.f32 [[V:%r[0-9]+]], [[A]], [[B]], %r
// CHECK:      shfl.sync.idx.b32 {{.*}}, 1, 31, -1;
// CHECK:      fma.rn.f32 {{.*}}, [[V]];
// CHECK:      .entry long_in_order_y(
// CHECK-NOT:  shfl
param N, M, Z;
tensor i32 row(N+1), col(Z);
tensor f32 val(Z), x(M);
out y(i) = sum(j for row(i) <= j < row(i+1): val(j) * x(col(j)));

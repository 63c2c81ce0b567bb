// Check that windows of a convolution slide over pixels in boxes: a map that walks over all
// pixels, of which each copy says how far off its window is; and that one warp starts these,
// as nothing asks where images end. Sums that are no numbers are computed again, behind the
// last step.
// RUN: %cetane build %s --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=POLY
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// POLY-COUNT-2:  fill 0 coalesce 1 async bulk
// POLY:          kernel {{.*}} unit wgmma.m64k16.f16 blocks {{[0-9]+}} grid
// POLY-NOT:      batch
// CHECK:         cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [
// CHECK-SAME:    ], {u, v};
// CHECK:         cp.async.bulk.tensor.4d.shared::cluster.global.tile
// CHECK-NOT:     cp.async.ca
// CHECK:         wgmma.mma_async.sync.aligned
// CHECK:         setp.num.f32
tensor f16 X(32,28,28,128), F(128,3,3,128);
out Y(b,i,j,k) for 0 <= i < 14, 0 <= j < 14 = sum(p, q, c for 0 <= p < 3, 0 <= q < 3,
  0 <= 2*i+p-1, 0 <= 2*j+q-1: X(b,2*i+p-1,2*j+q-1,c) * F(k,p,q,c));

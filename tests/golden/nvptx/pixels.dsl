// Check that a convolution of 1 x 1 has one axis of all pixels, whose tiles are copied in
// boxes of a map of two dimensions: pixels lie in memory as one.
// RUN: %cetane build %s --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=POLY
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// POLY-COUNT-2:  fill 0 coalesce 1 async bulk
// POLY:          kernel {{.*}} blocks {{[0-9]+}} grid "{ [({{[0-9]+}})] }" "{ [({{[0-9]+}})] }"
// POLY-NOT:      batch
// CHECK-COUNT-2: cp.async.bulk.tensor.2d
// CHECK-NOT:     cp.async.bulk.tensor.4d
tensor f16 X(32,28,28,512), F(256,512);
out Y(b,i,j,k) = sum(c: X(b,i,j,c) * F(k,c));

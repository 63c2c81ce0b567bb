// Check that a gate, two products of the same rows in one kernel, runs on warpgroups of
// sm_90a: each product has boxes of its own, in as many slots as there is room for.
// RUN: %cetane build %s --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=POLY
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// POLY:          kernel {{.*}} tile 128 128 64 {{.*}} stages 3 unit wgmma.m64k16.bf16
// POLY-NOT:      kernel {{.*}} unit
// CHECK-COUNT-4: prefetch.tensormap [
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
tensor bf16 X(4096,1024), V(1024,4096), W(1024,4096);
g(i,j) = sum(k: f32(X(i,k)) * f32(V(k,j)));
u(i,j) = sum(k: f32(X(i,k)) * f32(W(k,j)));
out Y(i,j) = bf16(g(i,j) * sigmoid(g(i,j)) * u(i,j));

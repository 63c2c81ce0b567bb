// Check that a gate, two products of the same rows in one kernel, runs on warpgroups of
// sm_90a in one loop: the rows are copied once for both, a warp of its own feeds four slots of
// three boxes, and the two products of a step are waited for as one: the
// first one frees no slot of the other.
// RUN: %cetane build %s --arch=sm_90a --emit=poly -o - | FileCheck %s --check-prefix=POLY
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// POLY-COUNT-3:  array {{.*}} shared {{.*}} swizzled
// POLY-NOT:      array {{.*}} shared
// POLY:          with g_add_tile
// POLY:          kernel {{.*}} tile 128 128 64 {{.*}} stages 4 unit wgmma.m64k16.bf16 blocks 132
// POLY:          filter "{ g_add_tile[t0, t1, tk] }"
// POLY-NEXT:     filter "{ u_add_tile[t0, t1, tk] }"
// CHECK-COUNT-3: prefetch.tensormap [
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK-NOT:     wgmma.commit_group
// CHECK-NOT:     mbarrier.arrive
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK:         wgmma.commit_group
tensor bf16 X(4096,1024), V(1024,4096), W(1024,4096);
g(i,j) = sum(k: f32(X(i,k)) * f32(V(k,j)));
u(i,j) = sum(k: f32(X(i,k)) * f32(W(k,j)));
out Y(i,j) = bf16(g(i,j) * sigmoid(g(i,j)) * u(i,j));

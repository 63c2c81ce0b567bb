// Check that warps multiply what is copied one element at a time: steps go along f, then e,
// and no two that are neighbours are side by side in X. The threads of warpgroups would copy
// as many as spill.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// CHECK-NOT: wgmma.mma_async
// CHECK:     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: wgmma.mma_async
tensor f16 X(32,32,4,64,16), Z(4,16,16,128,64);
out Y(g,d,a,c,b) += X(a,b,g,e,f) * Z(g,f,d,c,e);

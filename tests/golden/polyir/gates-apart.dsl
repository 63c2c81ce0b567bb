# Check that products of the same rows whose sums have other ranges keep loops of their own.
# RUN: %cetane build %s --arch=sm_90a --emit=poly -o - | FileCheck %s
# CHECK:     X_shared2
# CHECK-NOT: with g_add_tile
tensor bf16 X(512,1024), V(1024,512), W(512,512);
g(i,j) = sum(k for 0 <= k < 1024: f32(X(i,k)) * f32(V(k,j)));
u(i,j) = sum(k for 0 <= k < 512: f32(X(i,k)) * f32(W(k,j)));
out Y(i,j) = bf16(g(i,j) * u(i,j));

// Check that operands of more than two dimensions are multiplied by warpgroups of sm_90a,
// too: those of batches are copied in boxes of as many dimensions; where sums go over
// several indices, and in filters, whose tiles have rows of several images, in runs, where
// places of a window share rows of 128 bytes (windows.dsl: they do not). There zeros stand
// for what lies beyond the edges, if all threads together find F finite: before they agree,
// each has looked at all of its eight runs, of two tiles.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o %t.ptx && FileCheck %s < %t.ptx
// RUN: awk '/entry.*_Y[(]/ { y = 1 } y && /ld.shared.v2.b64/ { n++ } y && /bar.red/ { exit } \
// RUN:   END { exit n != 8 }' %t.ptx
// CHECK:         .entry {{.*}}_D(
// CHECK:         cp.async.cg.shared.global
// CHECK:         fence.proxy.async.shared::cta
// CHECK:         wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f32.bf16.bf16
// CHECK:         .entry {{.*}}_Y(
// CHECK:         cp.async.cg.shared.global
// CHECK:         bar.sync
// CHECK-COUNT-4: ld.shared.v2.b64
// CHECK:         and.b64 {{.*}}, -9223231297218904064;
// CHECK:         bar.red.or.pred
// CHECK:         wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f32.bf16.bf16
// CHECK:         .entry {{.*}}_C(
// CHECK-COUNT-2: prefetch.tensormap [
// CHECK:         cp.async.bulk.tensor.4d.shared::cluster.global.tile
// CHECK:         wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
tensor f16 A(8,512,16,64), B(8,16,64,512);
tensor bf16 U(4096,8,32), V(8,4096,32), X(32,14,14,264), F(256,3,3,264);
out C(b,h,i,j) += A(b,i,h,k) * B(b,h,k,j);
out D(i,j) += U(i,p,k) * V(p,j,k);
out Y(b,i,j,n) for 0 <= i < 14, 0 <= j < 14 =
	sum(p, q, c for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < 14, 0 <= j+q-1 < 14:
		X(b,i+p-1,j+q-1,c) * F(n,p,q,c));

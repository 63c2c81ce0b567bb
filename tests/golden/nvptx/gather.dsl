// Check that rows at positions that are data are loaded in runs along them, once the
// position is known, and that no thread branches on it.
// RUN: %cetane build %s -D T=2048 -D V=1000 -D D=256 --emit=ptx -o - | FileCheck %s
// CHECK:         .entry gather_{{O|P_rows}}(
// CHECK-NOT:     ld.global{{.*}}.b32 %
// CHECK:         ld.global.nc.b32 [[ID:%r[0-9]+]], [%rd{{[0-9]+}}]
// CHECK:         setp.lt.u32 [[IN:%p[0-9]+]], [[ID]], 1000
// CHECK:         selp.b64 {{.*}}, [[IN]]
// CHECK-NOT:     bra
// CHECK:         ld.global.nc.v4.b32
// CHECK:         st.global.v4.b32
// CHECK-NOT:     {{ld|st}}.global{{.*}}.b32 %
// A gathered factor of a product is stored first; the product has tiles.
// RUN: %cetane build %s -D T=2048 -D V=1000 -D D=256 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=POLY
// POLY: kernel gather_P_rows tiled
// POLY: kernel gather_P tiled thread
param T, V, D;
tensor i32 id(T);
tensor f32 emb(V,D), W(D,256);
out O(t,d) = emb(id(t),d);
out P(t,n) += emb(id(t),k) * W(k,n);

// Check that rows of bf16 at positions that are data, converted for a product in f32, are
// stored as they are, once, and that matrix units multiply them.
// RUN: %cetane build %s -D T=2048 -D V=1000 -D K=512 -D N=1024 --emit=ptx -o - | FileCheck %s
// CHECK:         .entry gather_units_P_rows
// CHECK:         ld.global.nc.b32 [[ID:%r[0-9]+]]
// CHECK:         ld.global.nc.v4.b32
// CHECK-NOT:     cvt.f32.bf16
// CHECK:         st.global.v4.b32
// CHECK:         .entry gather_units_P(
// CHECK:         mma{{.*}}bf16
param T, V, K, N;
tensor i32 id(T);
tensor bf16 emb(V,K), W(K,N);
out P(t,n) += f32(emb(id(t),k)) * f32(W(k,n));

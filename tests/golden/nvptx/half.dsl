// Check HALF: 16-bit memory, f32 products and sums, one conversion to store.
// RUN: %cetane build %s --emit=ptx -o - | FileCheck %s
// CHECK:     ld.{{(global|shared)(.v4)?}}.b16
// CHECK:     cvt.f32.f16
// CHECK:     fma.rn.f32
// CHECK:     cvt.rn.f16.f32
// CHECK:     st.global.b16
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(HALF, {C});

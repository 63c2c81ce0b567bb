// Check HALF: 16-bit memory, f32 products and sums, one conversion to store; on the
// matrix unit, too, which the order of sums would not allow.
// RUN: %cetane build %s --emit=ptx -o - | FileCheck %s --check-prefix=UNIT
// RUN: %cetane build %s --emit=ptx --fp=strict -o - | FileCheck %s
// UNIT:      ldmatrix.sync.aligned.m8n8.x4.shared.b16
// UNIT:      ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// UNIT:      mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// UNIT:      cvt.rn.f16{{(x2)?}}.f32
// UNIT:      st.global.b16
// CHECK:     ld.{{(global|shared)(.v4)?}}.b16
// CHECK:     cvt.f32.f16
// CHECK:     fma.rn.f32
// CHECK:     cvt.rn.f16.f32
// CHECK:     st.global.b16
Params M, K, N;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(HALF, {C});

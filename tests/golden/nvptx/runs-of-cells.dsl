// The parts of a sum, as many as a launch wants, are added up by threads that have four
// cells each. All parts that are left of many are loaded before the first is waited
// for: their number has code of its own, of which LLVM moves nothing behind the others.
// RUN: %cetane build %s --arch=sm_90a --versions=4 --emit=ptx -o - | FileCheck %s
// CHECK:       .entry {{.*}}_part$v2(
// CHECK:       .entry {{.*}}_C$v2(
// CHECK:       .reqntid 8, 16, 1
// CHECK-NOT:   ld.global.nc.b32
// CHECK-NOT:   st.global
// CHECK:       brx.idx
// CHECK-NOT:   ld.global.nc.b32
// CHECK-COUNT-120: ld.global.nc.v4.b32
// CHECK-NOT:   ld.global
// CHECK:       st.global.v4.b32
// CHECK-NOT:   .global
// CHECK:       ret;
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});

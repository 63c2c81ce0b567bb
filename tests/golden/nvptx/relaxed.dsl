// Check that programs of class relaxed have exp, exp2, rsqrt, erf and gelu of f32 by what the
// hardware has, other functions, of other types, and other classes by operations that round.
// RUN: %cetane build %s --arch=sm_90a --fp=relaxed --emit=llvm -o - | FileCheck %s
// RUN: %cetane build %s --arch=sm_75 --fp=relaxed --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=EXACT
//
// exp takes log2(e) in two parts; exp2 has the numbers below the normal ones, too.
// RUN: %cetane build %s --arch=sm_90a --fp=relaxed --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=BODY
// BODY-LABEL:   define internal float @cetane.relaxed.exp.f32(
// BODY:         @llvm.fma.f32(float %{{[0-9]+}}, float 0x3E54AE0C00000000
// BODY:         @llvm.nvvm.ex2.approx
// BODY-LABEL:   define internal float @cetane.relaxed.exp2.f32(
// BODY:         @llvm.maximum.f32(float %{{[0-9]+}}, float -1.600000e+02)
// CHECK-DAG: define internal float @cetane.relaxed.exp.f32(
// CHECK-DAG: define internal float @cetane.relaxed.exp2.f32(
// CHECK-DAG: define internal float @cetane.relaxed.rsqrt.f32(
// CHECK-DAG: define internal float @cetane.relaxed.erf.f32(
// CHECK-DAG: define internal float @cetane.relaxed.gelu.f32(
// CHECK-DAG: define internal float @cetane.sigmoid.f32(
// CHECK-DAG: define internal double @cetane.exp.f64(
// PTX-DAG:   ex2.approx.ftz.f32
// PTX-DAG:   rsqrt.approx.f32
// EXACT-NOT: ex2.approx
// EXACT-NOT: rsqrt.approx
param N;
tensor f32 x(N);
tensor f64 z(N);
out a(i) = exp(x(i));
out b(i) = exp2(x(i));
out c(i) = rsqrt(x(i));
out d(i) = erf(x(i));
out e(i) = sigmoid(x(i));
out g(i) = gelu(x(i));
out f(i) = exp(z(i));

// Check that programs of class relaxed have exp, exp2, rsqrt, erf and gelu of f32 by what the
// hardware has, other functions, of other types, and other classes by operations that round.
// RUN: %cetane build %s --arch=sm_90a --fp=relaxed --emit=llvm -o - | FileCheck %s
// RUN: %cetane build %s --arch=sm_75 --fp=relaxed --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=EXACT
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

// Check that a function of f32 whose result is rounded to 16 bits takes what is made for
// that, also as a factor, and the one whose result is used as it is does not.
// RUN: %cetane build %s --emit=ptx -o - -DN=1024 | FileCheck %s
// CHECK-COUNT-2: fma.rn.f32 {{.*}}0fB59CC14D
// CHECK-NOT: 0fB59CC14D
// CHECK: rcp.approx
param N;
tensor f16 X(N), W(N);
out Y(i) = f16(gelu(f32(X(i))));
out P(i) = f16(2 * f32(W(i)) * gelu(f32(W(i))));
out Z(i) = gelu(f32(X(i)));

// Check that a piece that values decide becomes a branch (FEATURES T8): B is
// read only if A is positive; that '?:' does not; and what the program says.
// RUN: %cetane build %s -D N=1000 --emit=ptx -o - | FileCheck %s
// CHECK:     .entry
// CHECK:     ld.global.nc.b32 [[A:%r[0-9]+]]
// CHECK:     setp.{{[a-z]+}}.f32 [[P:%p[0-9]+]], [[A]], 0f00000000;
// CHECK:     @[[P]] bra [[END:.*]];
// CHECK:     ld.global.nc.b32
// CHECK:     {{^}}[[END]]:
// CHECK:     st.global.b32
// RUN: %cetane build %s -D N=1000 --emit=poly -o - | FileCheck --check-prefix=POLY %s
// POLY:      (branch (lt (const f32 0) (read A {{.*}})) (add (exp (read B
param N;
tensor f32 A(N), B(N);
out y(i) = case { A(i) > 0: exp(B(i)) + B(i); else: 2 * A(i); };

# Four elements of a thread are read and written at once, although the angle of each is
# found by a branch, where it is far: once for its sine and its cosine.
# RUN: %cetane build %s --emit=ptx --arch=sm_90a -o - | FileCheck %s
# CHECK:         ld.global.nc.v4.b32
# CHECK-NOT:     .global
# CHECK-COUNT-4: mul.hi.u64
# CHECK-NOT:     mul.hi.u64
# CHECK-NOT:     .global.b32
# CHECK:         st.global.v4.b32
param N;
tensor f32 x(N);
out y(i) = sin(x(i)) + cos(x(i));

// Check that threads that have none of a block's columns to put together read a place of
// the second warp: that of the first warp is where others write what they have put together.
// RUN: %cetane build %s -DA=301 -DB=150 --arch=sm_90a --emit=ptx -o - | FileCheck %s
// CHECK:      .entry column_of_none_Y(
// CHECK:      st.shared.b32
// CHECK:      bar.sync 0;
// CHECK:      setp.lt.u32 [[HAS:%p[0-9]+]], [[COLUMN:%r[0-9]+]], 8;
// CHECK:      selp.b32 [[AT:%r[0-9]+]], {{%r[0-9]+}}, 8, [[HAS]];
// CHECK:      shl.b32 [[BYTES:%r[0-9]+]], [[AT]], 2;
// CHECK:      add.s32 [[PLACE:%r[0-9]+]], {{%r[0-9]+}}, [[BYTES]];
// CHECK:      ld.shared.b32 {{%r[0-9]+}}, {{\[}}[[PLACE]]];
// CHECK:      st.shared.b32
// CHECK:      bar.sync 0;
param A, B;
tensor f32 x(A,B,5);
tensor f32 w(A,B);
d(i,k) min= x(i,j,k) * w(i,j);
m(j,k) = max(i: x(i,j,k) + d(i,k));
out Y(i,j,k) = x(i,j,k) - m(j,k);

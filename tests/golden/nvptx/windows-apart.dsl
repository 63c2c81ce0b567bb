# Windows of two points that lie two apart read pairs where rows are aligned; where rows
# are not, and where windows move by one, they read words.
# RUN: %cetane build %s -D H=64 --arch=sm_90a --emit=ptx -o - | FileCheck %s
# RUN: %cetane build %s -D H=65 --arch=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=ODD
# CHECK: .entry windows_apart_Y(
# CHECK: ld.global.nc.v2.b32
# CHECK: ld.global.nc.v2.b32
# CHECK-NOT: ld.global
# CHECK: .entry windows_apart_Z(
# CHECK-NOT: .v2
# ODD-NOT: .v2
param H;
tensor f32 X(8,H,H), V(8,H,H);
out Y(b,i,j) for 0 <= i < H/2, 0 <= j < H/2 =
	sum(p, q for 0 <= p < 2, 0 <= q < 2: X(b,2*i+p,2*j+q));
out Z(b,i,j) for 0 <= i < H-1, 0 <= j < H-1 =
	sum(p, q for 0 <= p < 2, 0 <= q < 2: V(b,i+p,j+q));

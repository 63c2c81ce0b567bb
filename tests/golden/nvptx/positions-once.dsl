# Check that four steps of a sparse row load the positions that they read at side by side,
# each once, whatever asks whether these are inside.
# RUN: %cetane build %s -D R=1048576 -D Z=16777216 -D C=1048576 --emit=ptx -o - | FileCheck %s
param R, Z, C;
tensor i32 row(R+1), col(Z);
tensor f32 val(Z), x(C);
out y(i) for 0 <= i < R = sum(j for row(i) <= j < row(i+1): val(j) * x(col(j)));
# CHECK-LABEL:   .entry positions_once_y(
# CHECK:         ld.global.nc.s32
# CHECK-COUNT-4: fma.rn.f32
# CHECK:         ld.global.nc.s32
# CHECK-NOT:     bra
# CHECK:         ld.global.nc.s32
# CHECK-NOT:     bra
# CHECK:         ld.global.nc.s32
# CHECK-NOT:     bra
# CHECK:         ld.global.nc.s32
# CHECK-NOT:     ld.global.nc.s32
# CHECK:         ret

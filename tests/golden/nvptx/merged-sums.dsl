# Check that a sum stays in a register where several loops that are one tell its point: of images
# of 7 columns, each point of 7 i + j is one cell, whatever other widths would have.
# RUN: %cetane build %s -DB=3 -DC=40 -DH=14 -DW=14 --arch=sm_87 --emit=poly -o - | FileCheck %s --check-prefix=POLY
# RUN: %cetane build %s -DB=3 -DC=40 -DH=14 -DW=14 --arch=sm_87 --emit=ptx -o - | FileCheck %s
# RUN: %cetane run %s -DB=3 -DC=40 -DH=14 -DW=14 --arch=sm_87 --device=host
# RUN: %cetane run %s -DB=2 -DC=9 -DH=10 -DW=18 --arch=sm_87 --device=host --semantics=ring
param B, C, H, W;
tensor f32 X(B,C,H,W);
S(b,c,i,j) for 0 <= i < H/2, 0 <= j < W/2 =
	sum(p, q for 0 <= p < 2, 0 <= q < 2: X(b,c,2*i+p,2*j+q));
out Y(b,c,i,j) = S(b,c,i,j) * 0.25;
# POLY:     array S f32 temp register
# POLY:     [(c), (7i + j), (b)]
# CHECK:          entry {{[a-z_-]+}}_Y(
# CHECK-NOT:      st.global
# CHECK:          st.global
# CHECK-NOT:      st.global

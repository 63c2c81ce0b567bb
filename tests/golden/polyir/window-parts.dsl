# A convolution whose tiles leave multiprocessors idle is divided along its channels. What
# the parts gain is counted for all places of the filter, and images, rows and columns are
# one axis of its tiles.
# RUN: %cetane inspect --explain %s -DB=16 -DC=256 -DH=16 | FileCheck %s
# CHECK: kernel window_parts_Y_part
# CHECK: Y_add: whole: {{2[0-9]+}} cycles; in 4 parts of 576 steps: 1{{[0-9]+}}{{$}}
param B, C, H;
tensor f32 X(B,C,H,H), F(C,C,3,3);
out Y(b,k,i,j) for 0 <= i < H-2, 0 <= j < H-2 =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(k,c,p,q));

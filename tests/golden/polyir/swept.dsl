# What a thread loads of windows that lie in each other it loads once, and a sum that it
# begins stays in a register: a filter of 3 x 3 for each channel, four cells a thread, took
# 35.6 us where that was measured, 9 loads of X for 36 terms. To price each term as a load
# made 106 us of it.
# RUN: %cetane inspect --explain %s -D B=32 -D C=128 -D H=58 -D W=58 --arch=sm_90a | FileCheck %s
# CHECK: kernel swept_Y
# CHECK: tile         4 points side by side for each thread
# CHECK: predicted {{[0-9]+}} cycles, 3{{[5-9]}}.{{[0-9]}} us
# CHECK-NEXT: memory {{[0-9]+}}, cache 2{{[0-9][0-9][0-9][0-9]}}, shared 0,
param B, C, H, W;
tensor f32 X(B,C,H,W), F(C,3,3);
out Y(b,c,i,j) for 0 <= i < H-2, 0 <= j < W-2 =
	sum(p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(c,p,q));

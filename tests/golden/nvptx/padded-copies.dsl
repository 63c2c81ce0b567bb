# A thread has the registers that the conditions of padded copies take: for three
# dimensions, beside 64 sums, four blocks of 64 threads share a multiprocessor. Six
# would leave 168 registers to a thread, which spill.
# RUN: %cetane build %s -D B=4 -D C=32 -D K=32 -D D=16 -D H=16 -D W=16 --arch=sm_90a -o - | FileCheck %s
# CHECK: .reqntid 8, 8
# CHECK: .minnctapersm 4
param B, C, K, D, H, W;
tensor f32 X(B,C,D,H,W), F(C,K,4,4,4);
out Y(b,k,t,u,v) for 0 <= t < 2*D, 0 <= u < 2*H, 0 <= v < 2*W =
	sum(c, l, i, j for 0 <= l < D, 0 <= i < H, 0 <= j < W,
		0 <= t+1-2*l < 4, 0 <= u+1-2*i < 4, 0 <= v+1-2*j < 4:
		X(b,c,l,i,j) * F(c,k,t+1-2*l,u+1-2*i,v+1-2*j));

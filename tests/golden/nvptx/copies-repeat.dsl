# The rows of a transposed convolution's filters are digits of one number: c, i, j in row
# 4 c + 2 i + j of a tile. Four rows on a copy reads one channel further, so that a thread
# has the addresses of its first four rows, and constants to all others; what it asks of
# these rows it asks before the loop over steps. No registers are in memory.
# RUN: %cetane build %s -D B=16 -D C=64 -D K=32 -D H=28 -D W=28 --arch=sm_90a -o %t.ptx
# RUN: FileCheck %s < %t.ptx
# CHECK: cp.async.ca.shared.global [[[TO:%r[0-9]+]]+50176], [[[AT:%rd[0-9]+]]+40], 8, 8;
# CHECK: cp.async.ca.shared.global [[[TO]]+52224], [[[AT]]+2088], 8, 8;
# CHECK: cp.async.ca.shared.global [[[TO]]+64512], [[[AT]]+14376], 8, 8;
# Factors that are multiplied by the zeros of edges are finite: their sum times zero is a
# number.
# CHECK: fma.rn.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0f00000000, %r{{[0-9]+}};
# CHECK: setp.num.f32
# In the loop over steps nothing is asked for a copy of one element.
# CHECK: fma.rn.f32 {{.*}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
# CHECK: cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 4, %r{{[0-9]+}};
# CHECK-NOT: setp
# CHECK: cp.async.ca.shared.global [%r{{[0-9]+}}+384], [%rd{{[0-9]+}}], 4, %r{{[0-9]+}};
param B, C, K, H, W;
tensor f32 X(B,C,H,W), F(C,K,4,4);
out Y(b,k,u,v) for 0 <= u < 2*H+2, 0 <= v < 2*W+2 =
	sum(c, i, j for 0 <= i < H, 0 <= j < W, 0 <= u-2*i < 4, 0 <= v-2*j < 4:
		X(b,c,i,j) * F(c,k,u-2*i,v-2*j));

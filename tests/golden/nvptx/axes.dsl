# Copies for a product of windows: what an element's number has of the axis of pixels is
# computed once for all steps of a thread (polyir has X[c / 9][.. + c / 3 mod 3][..]), and
# elements of F lie at constants from the first one, as no division is left of them.
# RUN: %cetane build %s -D B=32 -D C=64 -D H=58 --arch=sm_90a --emit=ptx -o - | FileCheck %s
# RUN: %cetane run %s -D B=3 -D C=5 -D H=13 --device=host
# RUN: %cetane run %s -D B=3 -D C=5 -D H=13 --device=host --semantics=ring
# CHECK: ld.global.nc.b16 {{.*}}, [[[AT:%rd[0-9]+]]+1536];
# CHECK: ld.global.nc.b16 {{.*}}, [[[AT]]+2688];
param B, C, H;
tensor f16 X(B,C,H,H), F(C,C,3,3);
out Y(b,k,i,j) for 0 <= i < H-2, 0 <= j < H-2 =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(k,c,p,q));

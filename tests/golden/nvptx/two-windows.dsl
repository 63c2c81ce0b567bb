# Two convolutions in a row with borders of zeros. The second one reads the second part of F,
# where the argument of its kernel begins: addresses of copies, of which each axis is computed
# by itself, count from there.
# RUN: %cetane run %s -DB=1 -DC=16 -DH=12 -DW=20 --arch=sm_90a --device=host
param B, C, H, W;
tensor f32 X(B,C,H,W), F(2,C,C,3,3), A(2,C);
z0(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		X(b,c,i+p-1,j+q-1) * F(0,k,c,p,q));
y0(b,k,i,j) = max(z0(b,k,i,j) + A(0,k), 0);
z1(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y0(b,c,i+p-1,j+q-1) * F(1,k,c,p,q));
out Y(b,k,i,j) = max(z1(b,k,i,j) + A(1,k), 0);

# Eight convolutions of 3 x 3 in a row, each with bias and ReLU.
param B, C, H, W;
tensor f16 X(B,C,H,W), F(8,C,C,3,3), A(8,C);
z0(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		X(b,c,i+p-1,j+q-1) * F(0,k,c,p,q));
y0(b,k,i,j) = max(z0(b,k,i,j) + A(0,k), 0);
z1(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y0(b,c,i+p-1,j+q-1) * F(1,k,c,p,q));
y1(b,k,i,j) = max(z1(b,k,i,j) + A(1,k), 0);
z2(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y1(b,c,i+p-1,j+q-1) * F(2,k,c,p,q));
y2(b,k,i,j) = max(z2(b,k,i,j) + A(2,k), 0);
z3(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y2(b,c,i+p-1,j+q-1) * F(3,k,c,p,q));
y3(b,k,i,j) = max(z3(b,k,i,j) + A(3,k), 0);
z4(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y3(b,c,i+p-1,j+q-1) * F(4,k,c,p,q));
y4(b,k,i,j) = max(z4(b,k,i,j) + A(4,k), 0);
z5(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y4(b,c,i+p-1,j+q-1) * F(5,k,c,p,q));
y5(b,k,i,j) = max(z5(b,k,i,j) + A(5,k), 0);
z6(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y5(b,c,i+p-1,j+q-1) * F(6,k,c,p,q));
y6(b,k,i,j) = max(z6(b,k,i,j) + A(6,k), 0);
z7(b,k,i,j) for 0 <= i < H, 0 <= j < W =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3, 0 <= i+p-1 < H, 0 <= j+q-1 < W:
		y6(b,c,i+p-1,j+q-1) * F(7,k,c,p,q));
out Y(b,k,i,j) = max(z7(b,k,i,j) + A(7,k), 0);

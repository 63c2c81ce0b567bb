# The mean of cubes of 2 x 2 x 2 points.
param B, C, D, H, W;
tensor f16 X(B,C,D,H,W);
out Y(b,c,d,i,j) for 0 <= d < D/2, 0 <= i < H/2, 0 <= j < W/2 =
	sum(o, p, q for 0 <= o < 2, 0 <= p < 2, 0 <= q < 2:
		X(b,c,2*d+o,2*i+p,2*j+q)) * 0.125;

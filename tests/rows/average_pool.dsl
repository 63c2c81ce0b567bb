# The mean of squares of 2 x 2 points.
param B, C, H, W;
tensor f16 X(B,C,H,W);
S(b,c,i,j) for 0 <= i < H/2, 0 <= j < W/2 =
	sum(p, q for 0 <= p < 2, 0 <= q < 2: X(b,c,2*i+p,2*j+q));
out Y(b,c,i,j) = S(b,c,i,j) * 0.25;

# A filter of 3 x 3 for each channel.
param B, C, H, W;
tensor f16 X(B,C,H,W), F(C,3,3);
out Y(b,c,i,j) for 0 <= i < H-2, 0 <= j < W-2 =
	sum(p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(c,p,q));

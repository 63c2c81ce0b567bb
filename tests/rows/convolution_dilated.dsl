# A convolution of 3 x 3 with channels, of points two apart.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(K,C,3,3);
out Y(b,k,i,j) for 0 <= i < H-4, 0 <= j < W-4 =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+2*p,j+2*q) * F(k,c,p,q));

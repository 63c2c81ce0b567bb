# A convolution of 3 x 3 with channels.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(K,C,3,3);
out Y(b,k,i,j) for 0 <= i < H-2, 0 <= j < W-2 =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(k,c,p,q));

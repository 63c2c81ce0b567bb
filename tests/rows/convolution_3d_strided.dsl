# A convolution of 3 x 3 x 3 with channels, at every second point.
param B, C, K, D, H, W;
tensor f16 X(B,C,D,H,W), F(K,C,3,3,3);
out Y(b,k,d,i,j) for 0 <= d < (D-1)/2, 0 <= i < (H-1)/2, 0 <= j < (W-1)/2 =
	sum(c, o, p, q for 0 <= o < 3, 0 <= p < 3, 0 <= q < 3:
		X(b,c,2*d+o,2*i+p,2*j+q) * F(k,c,o,p,q));

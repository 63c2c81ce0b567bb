# A transposed convolution of 4 x 4 x 4 at every second point, one cut off at each end.
param B, C, K, D, H, W;
tensor f16 X(B,C,D,H,W), F(C,K,4,4,4);
out Y(b,k,t,u,v) for 0 <= t < 2*D, 0 <= u < 2*H, 0 <= v < 2*W =
	sum(c, l, i, j for 0 <= l < D, 0 <= i < H, 0 <= j < W,
		0 <= t+1-2*l < 4, 0 <= u+1-2*i < 4, 0 <= v+1-2*j < 4:
		X(b,c,l,i,j) * F(c,k,t+1-2*l,u+1-2*i,v+1-2*j));

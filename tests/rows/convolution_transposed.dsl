# A transposed convolution: filters of 4 x 4, laid at every second point.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(C,K,4,4);
out Y(b,k,u,v) for 0 <= u < 2*H+2, 0 <= v < 2*W+2 =
	sum(c, i, j for 0 <= i < H, 0 <= j < W, 0 <= u-2*i < 4, 0 <= v-2*j < 4:
		X(b,c,i,j) * F(c,k,u-2*i,v-2*j));

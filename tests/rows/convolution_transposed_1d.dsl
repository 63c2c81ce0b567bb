# A transposed convolution of rows: filters of 8, laid at every fourth point.
param B, C, K, H;
tensor f16 X(B,C,H), F(C,K,8);
out Y(b,k,u) for 0 <= u < 4*H+4 =
	sum(c, i for 0 <= i < H, 0 <= u-4*i < 8: X(b,c,i) * F(c,k,u-4*i));

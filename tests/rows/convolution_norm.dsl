# A convolution of 3 x 3 with bias, and each of its images with mean 0 and variance 1.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(K,C,3,3), A(K);
Z(b,k,i,j) for 0 <= i < H-2, 0 <= j < W-2 = f32(A(k)) +
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: f32(X(b,c,i+p,j+q)) * f32(F(k,c,p,q)));
m(b,k) = sum(i, j: Z(b,k,i,j)) / f32((H-2)*(W-2));
v(b,k) = sum(i, j: (Z(b,k,i,j) - m(b,k)) * (Z(b,k,i,j) - m(b,k))) / f32((H-2)*(W-2));
out Y(b,k,i,j) = f16((Z(b,k,i,j) - m(b,k)) / sqrt(v(b,k) + 0.00001));

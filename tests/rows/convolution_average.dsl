# A convolution of 3 x 3 with bias, and the mean of 2 x 2 of its points.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(K,C,3,3), A(K);
Z(b,k,i,j) for 0 <= i < H-2, 0 <= j < W-2 = A(k) +
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(k,c,p,q));
T(b,k,i,j) = max(Z(b,k,i,j), 0);
out Y(b,k,i,j) for 0 <= i < (H-2)/2, 0 <= j < (W-2)/2 =
	sum(p, q for 0 <= p < 2, 0 <= q < 2: T(b,k,2*i+p,2*j+q)) * 0.25;

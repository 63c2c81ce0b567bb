# A convolution of 3 x 3 with bias, and the least of its channels.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(K,C,3,3), A(K);
Z(b,k,i,j) for 0 <= i < H-2, 0 <= j < W-2 = A(k) +
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(k,c,p,q));
L(b,i,j) = min(k: Z(b,k,i,j));
out Y(b,i,j) = tanh(L(b,i,j));

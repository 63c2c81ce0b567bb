# A convolution of 3 x 3 with bias, and the softmax of its channels.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(K,C,3,3), A(K);
Z(b,k,i,j) for 0 <= i < H-2, 0 <= j < W-2 = A(k) +
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,i+p,j+q) * F(k,c,p,q));
M(b,i,j) = max(k: Z(b,k,i,j));
E(b,k,i,j) = exp(Z(b,k,i,j) - M(b,i,j));
S(b,i,j) = sum(k: E(b,k,i,j));
out Y(b,k,i,j) = E(b,k,i,j) / S(b,i,j);

# A transposed convolution of 3 x 3 that doubles an image, by an equation for the places
# of filters, and what is often behind it.
param B, C, K, H, W;
tensor f16 X(B,C,H,W), F(C,K,3,3), A(K);
y(b,k,u,v) for 0 <= u < 2*H, 0 <= v < 2*W =
	sum(c, i, j, p, q for 0 <= i < H, 0 <= j < W, 0 <= p < 3, 0 <= q < 3,
		2*i+p-1 == u, 2*j+q-1 == v: X(b,c,i,j) * F(c,k,p,q));
out Y(b,k,u,v) = ReLU(y(b,k,u,v) + A(k));

# Groups of channels that are convolved by themselves.
param B, G, C, K, H, W;
tensor f16 X(B,G,C,H,W), F(G,K,C,3,3);
out Y(b,g,k,i,j) for 0 <= i < H-2, 0 <= j < W-2 =
	sum(c, p, q for 0 <= p < 3, 0 <= q < 3: X(b,g,c,i+p,j+q) * F(g,k,c,p,q));

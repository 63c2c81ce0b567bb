# A filter of 3 x 3 over an image.
param H, W;
tensor f32 X(H,W), F(3,3);
out Y(i,j) for 0 <= i < H-2, 0 <= j < W-2 =
	sum(p, q for 0 <= p < 3, 0 <= q < 3: X(i+p,j+q) * F(p,q));

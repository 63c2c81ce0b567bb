# The largest of windows of 3 x 3 points, every second one.
param B, C, H, W;
tensor f16 X(B,C,H,W);
out Y(b,c,i,j) for 0 <= i < (H-1)/2, 0 <= j < (W-1)/2 =
	max(p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,2*i+p,2*j+q));

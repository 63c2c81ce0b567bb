# A filter of 3 x 3 for each channel, at every second point.
param B, C, H, W;
tensor f16 X(B,C,H,W), F(C,3,3);
out Y(b,c,i,j) for 0 <= i < (H-1)/2, 0 <= j < (W-1)/2 =
	sum(p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,2*i+p,2*j+q) * F(c,p,q));

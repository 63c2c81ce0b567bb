# The largest of 3 x 3 points, twice.
param B, C, H, W;
tensor f32 X(B,C,H,W);
S(b,c,i,j) for 0 <= i < (H-1)/2, 0 <= j < (W-1)/2 =
	max(p, q for 0 <= p < 3, 0 <= q < 3: X(b,c,2*i+p,2*j+q));
out Y(b,c,i,j) = 2 * S(b,c,i,j);

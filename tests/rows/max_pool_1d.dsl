# The largest of windows of 3 points, every second one.
param B, C, N;
tensor f16 X(B,C,N);
out Y(b,c,i) for 0 <= i < (N-1)/2 = max(p for 0 <= p < 3: X(b,c,2*i+p));

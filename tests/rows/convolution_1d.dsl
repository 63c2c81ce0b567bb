# A convolution of rows with channels, by 5 points.
param B, C, K, N;
tensor f16 X(B,C,N), F(K,C,5);
out Y(b,k,i) for 0 <= i < N-4 = sum(c, p for 0 <= p < 5: X(b,c,i+p) * F(k,c,p));

# The mean of every four points of rows.
param B, C, N;
tensor f16 X(B,C,N);
out Y(b,c,i) for 0 <= i < N/4 = sum(p for 0 <= p < 4: X(b,c,4*i+p)) * 0.25;

# Planes with a margin of zeros around them.
param B, M, N, P;
tensor f16 X(B,M,N);
out Y(b,i,j) for 0 <= i < M + 2*P, 0 <= j < N + 2*P = case {
	i >= P and i < P + M and j >= P and j < P + N: X(b,i-P,j-P);
	else: 0; };

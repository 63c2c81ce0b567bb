# Variance of each row.
param M, N;
tensor f16 X(M,N);
mean(i) = sum(j: f32(X(i,j))) / f32(N);
out Y(i) = f16(sum(j: (f32(X(i,j)) - mean(i)) * (f32(X(i,j)) - mean(i))) / f32(N
	- 1));

# Mean of the Huber loss of each row.
param M, N;
tensor f16 X(M,N), T(M,N);
d(i,j) = abs(f32(X(i,j)) - f32(T(i,j)));
out L(i) = f16(sum(j: d(i,j) <= 1 ? 0.5 * d(i,j) * d(i,j) : d(i,j) - 0.5) / f32(N));

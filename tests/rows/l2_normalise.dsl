# Rows of length one.
param M, N;
tensor f16 X(M,N);
length(i) = sqrt(sum(j: f32(X(i,j)) * f32(X(i,j))));
out Y(i,j) = f16(f32(X(i,j)) / max(length(i), 1e-12));

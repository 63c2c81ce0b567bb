# Matrices of Frobenius norm one.
param B, M, N;
tensor f16 X(B,M,N);
length(b) = sqrt(sum(i, j: f32(X(b,i,j)) * f32(X(b,i,j))));
out Y(b,i,j) = f16(f32(X(b,i,j)) / length(b));

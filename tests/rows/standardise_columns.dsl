# Columns of mean zero and deviation one.
param M, N;
tensor f16 X(M,N);
mean(j) = sum(i: f32(X(i,j))) / f32(M);
var(j) = sum(i: (f32(X(i,j)) - mean(j)) * (f32(X(i,j)) - mean(j))) / f32(M);
out Y(i,j) = f16((f32(X(i,j)) - mean(j)) / (sqrt(var(j)) + 0.00001));

# Cross entropy of each row with a distribution.
param M, N;
tensor f16 X(M,N), P(M,N);
top(i) = max(j: f32(X(i,j)));
z(i) = top(i) + log(sum(j: exp(f32(X(i,j)) - top(i))));
out L(i) = f16(sum(j: f32(P(i,j)) * (z(i) - f32(X(i,j)))));

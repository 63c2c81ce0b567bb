# Cross entropy of each row with the column that its label names.
param M, N;
tensor f16 X(M,N);
tensor i64 T(M);
top(i) = max(j: f32(X(i,j)));
z(i) = top(i) + log(sum(j: exp(f32(X(i,j)) - top(i))));
out L(i) = f16(z(i) - sum(j: j == T(i) ? f32(X(i,j)) : 0));

# Softmax of each row.
param M, N;
tensor f16 X(M,N);
top(i) = max(j: f32(X(i,j)));
e(i,j) = exp(f32(X(i,j)) - top(i));
out Y(i,j) = f16(e(i,j) / sum(k: e(i,k)));

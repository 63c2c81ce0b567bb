# Softmax of each column.
param M, N;
tensor f16 X(M,N);
top(j) = max(i: f32(X(i,j)));
e(i,j) = exp(f32(X(i,j)) - top(j));
out Y(i,j) = f16(e(i,j) / sum(k: e(k,j)));

# Logarithm of the softmax of each row.
param M, N;
tensor f16 X(M,N);
top(i) = max(j: f32(X(i,j)));
z(i) = sum(j: exp(f32(X(i,j)) - top(i)));
out Y(i,j) = f16(f32(X(i,j)) - (top(i) + log(z(i))));

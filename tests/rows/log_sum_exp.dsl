# Logarithm of the sum of exponentials of each row.
param M, N;
tensor f16 X(M,N);
top(i) = max(j: f32(X(i,j)));
out Y(i) = f16(top(i) + log(sum(j: exp(f32(X(i,j)) - top(i)))));

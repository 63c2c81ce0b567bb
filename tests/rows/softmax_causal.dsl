# Softmax of the first i+1 elements of each row i; the others are 0.
param B, N;
tensor f16 X(B,N,N);
top(b,i) = max(j for 0 <= j <= i: f32(X(b,i,j)));
e(b,i,j) for 0 <= j <= i < N = exp(f32(X(b,i,j)) - top(b,i));
out Y(b,i,j) for 0 <= j <= i < N = f16(e(b,i,j) / sum(k for 0 <= k <= i: e(b,i,k)));

# Softmax over the last of four dimensions.
param A, B, C, N;
tensor f16 X(A,B,C,N);
top(a,b,c) = max(j: f32(X(a,b,c,j)));
e(a,b,c,j) = exp(f32(X(a,b,c,j)) - top(a,b,c));
out Y(a,b,c,j) = f16(e(a,b,c,j) / sum(k: e(a,b,c,k)));

# Softmax of rows that are scaled and have a bias, one for all heads.
param B, M, N;
tensor f16 X(B,M,N), A(M,N);
s(b,i,j) = 0.125 * f32(X(b,i,j)) + f32(A(i,j));
top(b,i) = max(j: s(b,i,j));
e(b,i,j) = exp(s(b,i,j) - top(b,i));
out Y(b,i,j) = f16(e(b,i,j) / sum(k: e(b,i,k)));

# The rows of two matrices, one behind the other.
param M, K, N;
tensor f16 A(M,K), B(M,N);
out Y(i,j) for 0 <= j < K + N = case { j < K: A(i,j); else: B(i,j-K); };

# Factorisations as recurrences: Cholesky and LU without pivots.
param N;
tensor f32 X(N,N);
A(i,j) for 0<=i<N, 0<=j<N = (X(i,j) + X(j,i)) / 2 + (i == j ? f32(2 * N) : 0);
L(i,j) for 0<=j<=i<N = case {
	i == j: sqrt(A(i,i) - sum(k for 0<=k<j: L(i,k) * L(i,k)));
	else: (A(i,j) - sum(k for 0<=k<j: L(i,k) * L(j,k))) / L(j,j); };
U(i,j) for 0<=i<=j<N = A(i,j) - sum(k for 0<=k<i: l(i,k) * U(k,j));
l(i,j) for 0<=j<i<N = (A(i,j) - sum(k for 0<=k<j: l(i,k) * U(k,j))) / U(j,j);
out chol(i,j) for 0<=j<=i<N = L(i,j);
out upper(i,j) for 0<=i<=j<N = U(i,j);
out lower(i,j) for 0<=j<i<N = l(i,j);

# T steps of the mean of seven points, between borders that stay.
param T, N;
tensor f16 X(N,N,N);
u(t,i,j,k) for 0 <= t <= T, 0 <= i < N, 0 <= j < N, 0 <= k < N = case {
	t == 0: X(i,j,k);
	i == 0 or i == N-1 or j == 0 or j == N-1 or k == 0 or k == N-1: u(t-1,i,j,k);
	else: (u(t-1,i,j,k) + u(t-1,i-1,j,k) + u(t-1,i+1,j,k) + u(t-1,i,j-1,k)
		+ u(t-1,i,j+1,k) + u(t-1,i,j,k-1) + u(t-1,i,j,k+1)) * 0.142857142857; };
out Y(i,j,k) for 0 <= i < N, 0 <= j < N, 0 <= k < N = u(T,i,j,k);

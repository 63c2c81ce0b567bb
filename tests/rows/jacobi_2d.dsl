# T steps of the mean of five points, between borders that stay.
param T, N;
tensor f16 X(N,N);
u(t,i,j) for 0 <= t <= T, 0 <= i < N, 0 <= j < N = case { t == 0: X(i,j);
	i == 0 or i == N-1 or j == 0 or j == N-1: u(t-1,i,j);
	else: 0.2*(u(t-1,i,j) + u(t-1,i-1,j) + u(t-1,i+1,j) + u(t-1,i,j-1)
		+ u(t-1,i,j+1)); };
out Y(i,j) for 0 <= i < N, 0 <= j < N = u(T,i,j);

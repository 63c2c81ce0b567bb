# A seven-point stencil in three dimensions.
param T, N;
tensor f32 u0(N,N,N);
u(t,i,j,k) for 0<=t<=T, 0<=i<N, 0<=j<N, 0<=k<N = case {
	t == 0: u0(i,j,k);
	1<=i<N-1 and 1<=j<N-1 and 1<=k<N-1 and t > 0:
		0.125 * (u(t-1,i+1,j,k) - 2 * u(t-1,i,j,k) + u(t-1,i-1,j,k))
		+ 0.125 * (u(t-1,i,j+1,k) - 2 * u(t-1,i,j,k) + u(t-1,i,j-1,k))
		+ 0.125 * (u(t-1,i,j,k+1) - 2 * u(t-1,i,j,k) + u(t-1,i,j,k-1))
		+ u(t-1,i,j,k);
	else: u(t-1,i,j,k); };
out last(i,j,k) = u(T,i,j,k);

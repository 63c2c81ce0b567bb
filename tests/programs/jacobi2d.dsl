# A five-point stencil over T steps.
param T, N, M;
tensor f32 u0(N,M);
u(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<M = case {
	t == 0: u0(i,j);
	t > 0 and (i == 0 or i == N-1 or j == 0 or j == M-1): u(t-1,i,j);
	else: 0.2 * (u(t-1,i,j) + u(t-1,i,j-1) + u(t-1,i,j+1)
		+ u(t-1,i-1,j) + u(t-1,i+1,j)); };
out last(i,j) = u(T,i,j);

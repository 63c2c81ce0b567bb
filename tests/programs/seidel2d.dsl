# Gauss-Seidel: new values of the same step are read.
param T, N;
tensor f32 u0(N,N);
u(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<N = case {
	t == 0: u0(i,j);
	t > 0 and (i == 0 or i == N-1 or j == 0 or j == N-1): u(t-1,i,j);
	else: (u(t,i-1,j-1) + u(t,i-1,j) + u(t,i-1,j+1)
		+ u(t,i,j-1) + u(t-1,i,j) + u(t-1,i,j+1)
		+ u(t-1,i+1,j-1) + u(t-1,i+1,j) + u(t-1,i+1,j+1)) / 9; };
out last(i,j) = u(T,i,j);

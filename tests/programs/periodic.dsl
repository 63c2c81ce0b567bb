# A stencil with periodic borders.
param T, N;
tensor f32 u0(N);
assume N >= 1;
u(t,i) for 0<=t<=T, -1<=i<=N = case {
	i == -1: u(t,N-1);
	i == N: u(t,0);
	t == 0: u0(i);
	else: 0.25*u(t-1,i-1) + 0.5*u(t-1,i) + 0.25*u(t-1,i+1); };
out last(i) for 0<=i<N = u(T,i);

# Finite differences in the time domain: three fields that need one another.
param T, N, M;
tensor f32 ex0(N,M), ey0(N,M), hz0(N,M), fict(T);
ey(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<M = case {
	t == 0: ey0(i,j);
	t > 0 and i == 0: fict(t-1);
	else: ey(t-1,i,j) - 0.5 * (hz(t-1,i,j) - hz(t-1,i-1,j)); };
ex(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<M = case {
	t == 0: ex0(i,j);
	t > 0 and j == 0: ex(t-1,i,j);
	else: ex(t-1,i,j) - 0.5 * (hz(t-1,i,j) - hz(t-1,i,j-1)); };
hz(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<M = case {
	t == 0: hz0(i,j);
	t > 0 and i < N-1 and j < M-1: hz(t-1,i,j)
		- 0.7 * (ex(t,i,j+1) - ex(t,i,j) + ey(t,i+1,j) - ey(t,i,j));
	else: hz(t-1,i,j); };
out Ex(i,j) = ex(T,i,j);
out Ey(i,j) = ey(T,i,j);
out Hz(i,j) = hz(T,i,j);

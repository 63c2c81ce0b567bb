# Alternating directions: each time step solves tridiagonal systems along the
# columns, then along the rows, by recurrences forth (p, q) and back.
param T, N;
assume T >= 1, N >= 3;
tensor f32 u0(N,N), a, b, c, d, e, f;
u(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<N = case {
	t == 0: u0(i,j);
	i == 0 or i == N-1: u(t-1,i,j);
	j == 0 or j == N-1: 1.0;
	else: p2(t,i,j) * u(t,i,j+1) + q2(t,i,j); };
p1(j) for 0<=j<N-1 = case {
	j == 0: 0.0;
	else: -c() / (a() * p1(j-1) + b()); };
q1(t,i,j) for 1<=t<=T, 0<i<N-1, 0<=j<N-1 = case {
	j == 0: 1.0;
	else: (u(t-1,j,i-1) + u(t-1,j,i+1) - d() * u(t-1,j,i) -
		a() * q1(t,i,j-1)) / (a() * p1(j-1) + b()); };
w(t,j,i) for 1<=t<=T, 0<=j<N, 0<i<N-1 = case {
	j == 0 or j == N-1: 1.0;
	else: p1(j) * w(t,j+1,i) + q1(t,i,j); };
p2(t,i,j) for 1<=t<=T, 0<i<N-1, 0<=j<N-1 = case {
	j == 0: 0.0;
	else: -f() / (d() * p2(t,i,j-1) + e()); };
q2(t,i,j) for 1<=t<=T, 0<i<N-1, 0<=j<N-1 = case {
	j == 0: 1.0;
	i == 1 or i == N-2: (w(t,i,j) - d() * q2(t,i,j-1)) /
		(d() * p2(t,i,j-1) + e());
	else: (w(t,i-1,j) + w(t,i+1,j) - a() * w(t,i,j) -
		d() * q2(t,i,j-1)) / (d() * p2(t,i,j-1) + e()); };
out last(i,j) = u(T,i,j);

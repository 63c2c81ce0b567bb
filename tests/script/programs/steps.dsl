param T, N;
tensor f32 u0(N);
u(t, i) for 0 <= t <= T, 0 <= i < N = case { t == 0: u0(i);
	i == 0 or i == N - 1: u(t - 1, i);
	else: 0.25*u(t - 1, i - 1) + 0.5*u(t - 1, i) + 0.25*u(t - 1, i + 1); };
out y(i) = u(T, i);

param N;
tensor f32 x(N);
out y(i) for 0<=i<=N = case { i < N: x(i); else: x(i); }; // ERROR[E240] 50: 'x' is read outside its domain, for [N] -> { y[i = N] }

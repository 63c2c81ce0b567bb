# Recurrences in one dimension: scans, filters in both directions.
param N;
tensor f32 x(N), a, b;
out prefix(i) for 0<=i<N = case { i == 0: x(0); else: prefix(i-1) + x(i); };
out top(i) for 0<=i<N = case { i == 0: x(0); else: max(top(i-1), x(i)); };
out exclusive(i) for 0<=i<=N = case { i == 0: 0; else: exclusive(i-1) + x(i-1); };
up(i) for -2<=i<N = case { i < 0: 0; else: a * x(i) + b * up(i-1) - 0.25 * up(i-2); };
down(i) for 0<=i<N+2 = case { i >= N: 0; else: a * x(i) + b * down(i+1) - 0.25 * down(i+2); };
out deriche(i) = up(i) + down(i);
fib(n) for 0<=n<N = case { n < 2: i64(1); else: fib(n-1) + fib(n-2); };
out fibs(n) = fib(n);

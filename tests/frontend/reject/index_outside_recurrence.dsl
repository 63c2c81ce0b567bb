param N;
tensor f32 x(N);
out y(t) for 0<=t<N = y(t-1) + x(t); // ERROR[E240] 23: 'y' is read outside its domain, for [N] -> { y[t = 0] : N > 0 }

param N;
tensor f32 x(N);
out y(i) for 0<=i<N = x(i) + x(i-1); // ERROR[E240] 30: 'x' is read outside its domain, for [N] -> { y[i = 0] : N > 0 }

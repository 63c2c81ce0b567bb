param N;
tensor f32 x(N);
out y(i) for 0<=i<N = x(i+1); // ERROR[E240] 23: 'x' is read outside its domain, for [N] -> { y[i = -1 + N] : N > 0 }

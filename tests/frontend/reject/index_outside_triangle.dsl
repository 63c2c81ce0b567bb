param N;
tensor f32 x(N);
t(i,j) for 0<=j<=i<N = x(i) * x(j);
out y(i,j) = t(i,j); // ERROR[E240] 14: 't' is read outside its domain, for [N] -> { y[i, j] : i >= 0 and i < 

param N, M;
tensor f32 x(N,M);
out y(i,j) for 0<=i<N, 0<=j<M = x(i,j) + x(i-1,j+1); // ERROR[E240] 42: 'x' is read outside its domain, for y[i = 0, j = 0] with N = 1, M = 1, and others

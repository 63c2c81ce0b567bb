param N;
tensor f32 x(N,N);
out a(i) = mean(j: x(i,j)); // ERROR[E112] 12: 'mean' is not a function; over indices there are sum, prod, min, max

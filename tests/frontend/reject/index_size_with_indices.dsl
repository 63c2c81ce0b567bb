param N;
tensor f32 x(N);
out y(i) = x(i) * N(i); // ERROR[E220] 19: 'N' is a size parameter, it has no indices

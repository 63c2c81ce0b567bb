param N;
tensor f32 x(N);
out y(N) = x(N); // ERROR[E225] 7: 'N' is a size parameter and cannot be an index

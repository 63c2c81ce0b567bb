param N;
tensor f32 x(N);
out y(i) for 0<=i<N = x(1.5); // ERROR[E222] 25: this has to be affine: indices, sizes and whole numbers up to 10737418

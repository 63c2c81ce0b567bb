param N;
tensor f32 x(N);
out y(i) for 0<=i<N = x(i+9999999999); // ERROR[E222] 26: this has to be affine: indices, sizes and whole numbers up to 10737418

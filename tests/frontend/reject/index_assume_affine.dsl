param N, M;
tensor f32 x(N);
assume N * M > 2; // ERROR[E222] 10: this has to be affine: indices, sizes and whole numbers up to 10737418
out y(i) = x(i);

param N, M;
tensor f32 z(N*M); // ERROR[E222] 15: this has to be affine: indices, sizes and whole numbers up to 10737418
out y(i) = z(i);

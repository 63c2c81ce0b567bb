param N, M;
tensor f32 A(N,M);
out y(i) = max(j for A(i,j) > 0: A(i,j)); // ERROR[E222] 22: this has to be affine: indices, sizes and whole numbers up to 10737418

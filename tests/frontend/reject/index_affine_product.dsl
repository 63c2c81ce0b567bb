param N, M;
tensor f32 x(N);
out y(i,j) for 0<=i<N, 0<=j<M = x(i*j); // ERROR[E222] 36: this has to be affine: indices, sizes and whole numbers up to 10737418

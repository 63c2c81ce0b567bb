param N, M;
out y(i,j) for 0<=i<N, 0<=j<M = f32(i*j/2); // ERROR[E222] 40: this has to be affine: indices, sizes and whole numbers up to 10737418

param N, M;
tensor f32 x(N);
out y(i,j) for 0<=i<N, 0<=j<M = x(i*j); // ERROR[E291] 36: a position is affine, or it reads the values that tell it

param N, M;
tensor f32 x(N);
out y(i) for 0<=i<N = x(i/M); // ERROR[E291] 26: a position is affine, or it reads the values that tell it

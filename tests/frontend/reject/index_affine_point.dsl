param N;
tensor f32 x(N);
out y(i) for 0<=i<N = x(1.5); // ERROR[E291] 25: a position is affine, or it reads the values that tell it

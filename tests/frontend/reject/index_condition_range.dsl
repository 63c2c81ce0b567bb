param N;
tensor f32 x(N);
tensor i32 k(N);
out y(i) for 0 <= i < k(0) = x(i); // ERROR[E222] 23: this has to be affine: indices, sizes and whole numbers up to 10737418

param N;
tensor f32 x(N);
tensor i32 k(N);
out y(i) = x(k(i)); // ERROR[E222] 14: this has to be affine: indices, sizes and whole numbers up to 10737418

param N;
tensor f32 x(N);
out y(i) = case { x(i) > 0: x(i); else: 0; }; // ERROR[E222] 19: this has to be affine: indices, sizes and whole numbers up to 10737418

param N;
tensor f32 x(N); tensor i32 k(N);
out y(i) = case { i and x(i) > 0: x(i); else: 0; }; // ERROR[E223] 19: a condition is made of comparisons

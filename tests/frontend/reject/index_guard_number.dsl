param N;
tensor f32 x(N); tensor i32 k(N);
out y(i) = case { k(i): x(i); else: 0; }; // ERROR[E223] 19: a condition is made of comparisons

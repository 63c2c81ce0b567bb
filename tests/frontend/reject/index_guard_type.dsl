param N;
tensor f32 x(N); tensor i32 k(N);
out y(i) = case { x(i) > k(i): x(i); else: 0; }; // ERROR[E226] 24: 

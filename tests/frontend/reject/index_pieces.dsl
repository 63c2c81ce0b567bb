param N;
tensor f32 x(N);
tensor i32 k(N);
out y(i) = case { i == 0: x(i); else: k(i); }; // ERROR[E228] 33: the pieces have different types, f32 and i32

param N;
tensor f32 x(N); tensor i32 k(N);
out y(i) = case { i > 1 or x(i) > 0: 1; i == 0 and k(i) > 0: x(i); i == 1: 2; }; // ERROR[E238] 5: no piece

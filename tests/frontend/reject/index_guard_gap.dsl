param N;
tensor f32 x(N);
out y(i) = case { x(i) > 0: x(i); x(i) <= 0: 0; }; // ERROR[E238] 5: no piece has a value for [N] -> { y[i] : 0 <= i < N }

param N;
tensor f32 x(N);
out y(i) = case { i == 0: x(i); i > 1: x(i-1); }; // ERROR[E238] 5: no piece has a value for [N] -> { y[i = 1] : N >= 2 }

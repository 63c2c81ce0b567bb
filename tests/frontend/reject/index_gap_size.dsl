param N, M;
tensor f32 x(N);
out y(i) = case { i < M: x(i); i > M: 0; }; // ERROR[E238] 5: no piece has a value for [N, M] -> { y[i = M] : M < N }

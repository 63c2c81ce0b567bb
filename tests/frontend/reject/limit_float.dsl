param N;
tensor f32 x(N);
assume 0 <= x < N; // ERROR[E297] 13: what 'x' holds cannot be assumed: it holds no integers
out y(i) = x(i);

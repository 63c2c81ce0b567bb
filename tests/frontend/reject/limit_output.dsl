param N;
tensor f32 x(N);
out k(i) for 0 <= i < N = i32(i);
assume k < N; // ERROR[E297] 8: what 'k' holds cannot be assumed: it is no input
out y(i) = x(k(i));

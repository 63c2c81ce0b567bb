param N;
tensor i32 k(N);
tensor f32 x(N);
assume k < N; // ERROR[E297] 8: what 'k' holds cannot be assumed: the least and the greatest that it holds are needed
out y(i) = x(k(i));

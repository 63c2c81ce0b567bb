param N;
tensor i32 k(N);
tensor f32 x(N);
assume k == 3; // ERROR[E297] 8: what 'k' holds cannot be assumed: only <, <=, > and >= tell from where to where it goes
out y(i) = x(k(i));

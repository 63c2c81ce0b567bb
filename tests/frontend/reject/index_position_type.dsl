param N;
tensor f32 x(N), p(N);
out y(i) = x(p(i)); // ERROR[E292] 14: a position is an integer, not f32
out z(i) = x(p(i) < 0.); // ERROR[E292] 19: a position is an integer, not bool

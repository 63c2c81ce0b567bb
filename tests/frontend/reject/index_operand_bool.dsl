param N;
tensor f32 x(N);
out y(i) = (x(i) > 0) * (x(i) < 1); // ERROR[E227] 23: '*' does not work on bool

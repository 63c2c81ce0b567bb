param N;
tensor f32 x(N);
out y() = sum(i: x(i) > 0); // ERROR[E227] 11: 'sum' does not work on bool

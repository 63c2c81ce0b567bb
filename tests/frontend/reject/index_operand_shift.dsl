param N;
tensor f32 x(N);
out y(i) = x(i) << 2; // ERROR[E227] 17: '<<' does not work on f32

param N;
tensor f32 x(N);
out y() += x(i) > 0; // ERROR[E227] 5: '+=' does not work on bool

param N;
tensor f32 x(N);
out y(0) = x(0); // ERROR[E107] 7: expected a name, found '0'

param N;
tensor f32 x(N);
out y(i) x(i); // ERROR[E107] 10: expected '=', found 'x'

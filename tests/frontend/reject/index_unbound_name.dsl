param N;
tensor f32 x(N);
out y(i) = x(i) + j; // ERROR[E201] 19: 'j' is not defined

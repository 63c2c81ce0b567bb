param N;
tensor f32 x(N);
out f32(i) = x(i); // ERROR[E204] 5: 'f32' is the name of a function

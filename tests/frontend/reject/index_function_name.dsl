param N;
tensor f32 x(N);
out sin(i) = x(i); // ERROR[E204] 5: 'sin' is the name of a function

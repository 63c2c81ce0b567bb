param N;
tensor f32 x(N);
out ReLU(i) = x(i); // ERROR[E204] 5: 'ReLU' is the name of a function

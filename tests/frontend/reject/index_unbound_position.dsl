param N;
tensor f32 x(N);
out y(i) = x(i) + x(j); // ERROR[E201] 21: 'j' is not defined

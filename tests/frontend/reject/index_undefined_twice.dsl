param N;
tensor f32 x(N);
out y(i) = x(i) + z(i); // ERROR[E201] 19: 'z' is not defined
out w(i) = x(i) + z(i);

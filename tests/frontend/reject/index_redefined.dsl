param N;
tensor f32 x(N);
out y(i) = x(i);
y(i) = 2 * x(i); // ERROR[E203] 1: 'y' is already declared in line 3

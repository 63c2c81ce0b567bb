param N, M;
tensor f32 x(N);
out M(i) = x(i); // ERROR[E203] 5: 'M' is already declared in line 1

param N, M;
tensor f32 x(N);
tensor f32 A(N,M);
x(i) = A(i,0); // ERROR[E203] 1: 'x' is already declared in line 2
out y(i) = x(i);

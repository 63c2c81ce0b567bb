param N, M;
tensor f32 A(N,M);
out y(i) = A(i); // ERROR[E221] 12: 'A' has 2 indices, found 1

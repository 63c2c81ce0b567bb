param N, M;
tensor f32 A(N,M);
out y(i,i) = A(i,i); // ERROR[E224] 9: 'i' is an index already

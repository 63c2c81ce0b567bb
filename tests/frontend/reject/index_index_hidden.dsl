param N, M;
tensor f32 A(N,M);
out y(i) = sum(i: A(i,i)); // ERROR[E224] 16: 'i' is an index already

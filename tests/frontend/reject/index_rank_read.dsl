param N, M;
tensor f32 A(N,M);
out y(i) = A(i,i,i,i,i,i,i,i,i); // ERROR[E118] 30: a tensor has at most 8 indices

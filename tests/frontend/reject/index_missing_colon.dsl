param N, M;
tensor f32 A(N,M);
out y(i) = sum(j for 0<=j<M A(i,j)); // ERROR[E107] 29: expected ':', found 'A'

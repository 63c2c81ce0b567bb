param N, M;
tensor f32 A(N,M);
out y(i) = sum(j for 0<=j<=M: A(i,j)); // ERROR[E240] 31: 'A' is read outside its domain, for [N, M] -> { y[i, j = M] : 0 <= i <

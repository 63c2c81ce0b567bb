param N, M;
tensor f32 A(N,M);
out y(i,j) for 0 <= i < j = A(i,j); // ERROR[E230] 7: 'i' has no bound above // ERROR[E230] 9: 'j' has no bound above

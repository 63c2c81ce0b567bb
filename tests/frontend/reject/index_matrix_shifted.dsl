param N;
tensor f32 x(N,N);
y(i,j) for 1<=i<N, 0<=j<N = x(i,j);
B = y + y; // ERROR[E236] 5: 'y' is no matrix: two indices from 0 to a size // ERROR[E236] 9: 'y' is no matrix: two indices from 0 to a size


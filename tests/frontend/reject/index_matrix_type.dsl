param N;
tensor f64 x(N,N);
y(i,j) = x(i,j);
B = y * y; // ERROR[E237] 5: 'y' is of type f64, but the matrices are of f32 // ERROR[E237] 9: 'y' is of type f64, but the matrices are of f32


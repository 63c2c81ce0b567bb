Params N;
Matrix X(N,N);
y(i,j) = B(i,j); // ERROR[E210] 10: 'B' is used before its definition in line 4
B = X + X;

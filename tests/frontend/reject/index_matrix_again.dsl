Params N;
Matrix X(N,N);
y(i,j) = X(i,j);
y = X; // ERROR[E203] 1: 'y' is already declared in line 3

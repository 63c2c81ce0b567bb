Params N;
Matrix X(N,N);
out y(i) = X(i); // ERROR[E221] 12: 'X' has 2 indices, found 1

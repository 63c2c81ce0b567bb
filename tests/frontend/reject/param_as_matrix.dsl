Params M;
Matrix A(M,M);
B = A * M; // ERROR[E208] 9: 'M' is a size parameter, not a matrix

Params M;
Matrix A(M,N); // ERROR[E202] 12: 'N' is not declared by Params
Matrix B(N,Q); // ERROR[E202] 12: 'Q' is not declared by Params
C = A + B;

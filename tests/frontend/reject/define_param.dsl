Params M;
Matrix A(M,M);
M = A + A; // ERROR[E203] 1: 'M' is already declared in line 1

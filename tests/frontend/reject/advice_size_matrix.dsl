Params M = 8; // ERROR[E107] 10: expected ';', found '='; a size has its value from outside
Matrix A(M,M);
C = A * A;

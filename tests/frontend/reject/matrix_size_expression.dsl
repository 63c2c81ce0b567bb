Params M;
Matrix A(M+1,2); // ERROR[E107] 11: expected ',', found '+'
B = A + A;

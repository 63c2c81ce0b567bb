Params M;
Matrix A(M+1,2); // ERROR[E107] 11: expected ',', found '+'; a size of a Matrix is a name or a number, that of a tensor may be N/2
B = A + A;

Params M, N // ERROR[E107] 12: expected ';', found 'Matrix'
Matrix A(M,N);
B = A + A;

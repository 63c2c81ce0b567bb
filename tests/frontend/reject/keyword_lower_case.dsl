params M; // ERROR[E107] 8: expected '=', found 'M'
Matrix A(2,2);
B = A + A;

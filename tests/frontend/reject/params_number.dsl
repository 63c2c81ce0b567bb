Params M, 3; // ERROR[E107] 11: expected a name, found '3'
Matrix A(2,2);
B = A + A;

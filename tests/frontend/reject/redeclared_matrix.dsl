Matrix A(2,2);
Matrix A(2,2); // ERROR[E203] 8: 'A' is already declared in line 1
B = A + A;

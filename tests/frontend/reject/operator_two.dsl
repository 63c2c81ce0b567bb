Matrix A(2,2);
B = A * * A; // ERROR[E107] 9: expected an expression, found '*'

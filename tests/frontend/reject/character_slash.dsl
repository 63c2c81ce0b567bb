Matrix A(2,2);
B = A / A; // ERROR[E107] 7: expected ';', found '/'

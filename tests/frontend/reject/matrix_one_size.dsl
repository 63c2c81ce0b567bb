Matrix A(2); // ERROR[E107] 11: expected ',', found ')'
B = A + A;

Matrix A(2,2);
B = + A; // ERROR[E107] 5: expected an expression, found '+'

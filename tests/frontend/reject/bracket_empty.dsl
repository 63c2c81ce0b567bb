Matrix A(2,2);
B = () + A; // ERROR[E107] 6: expected an expression, found ')'

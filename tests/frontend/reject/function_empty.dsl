Matrix A(2,2);
B = ReLU(); // ERROR[E107] 10: expected an expression, found ')'

Matrix A(2,2);
B = ReLU A; // ERROR[E107] 10: expected '(', found 'A'

Matrix A; // ERROR[E107] 9: expected '(', found ';'
B = A + A;

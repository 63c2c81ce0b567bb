Matrix A(2,2);
A + A; // ERROR[E107] 3: expected '=', found '+'
B = A + A;

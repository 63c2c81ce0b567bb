Matrix A(2,2);
B = A + A;
CodeGen(); // ERROR[E107] 9: expected an element type, found ')'

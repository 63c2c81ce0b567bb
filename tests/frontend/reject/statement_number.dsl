Matrix A(2,2);
3 = A; // ERROR[E107] 1: expected a declaration, a definition or CodeGen, found '3'
B = A + A;

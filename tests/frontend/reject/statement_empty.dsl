Matrix A(2,2);
B = A + A;; // ERROR[E107] 11: expected a declaration, a definition or CodeGen, found ';'

Matrix A(2,2);
B = A + A;
CodeGen(FLOAT, {}); // ERROR[E107] 17: expected a name, found '}'

Matrix A(2,2);
CodeGen(FLOAT, {A}); // ERROR[E211] 17: the output 'A' is not defined

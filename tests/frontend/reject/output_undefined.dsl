Matrix A(2,2);
B = A + A;
CodeGen(FLOAT, {B, X}); // ERROR[E211] 20: the output 'X' is not defined

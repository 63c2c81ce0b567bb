Matrix A(2,2);
B = A + A;
CodeGen(FLOAT, {B, B}); // ERROR[E212] 20: 'B' is an output already

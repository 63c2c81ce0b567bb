Params M;
Matrix A(M,M);
B = A + A;
CodeGen(FLOAT, {M}); // ERROR[E211] 17: the output 'M' is not defined

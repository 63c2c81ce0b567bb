Matrix A(2,2);
B = A + A;
CodeGen(FLOAT, B); // ERROR[E107] 16: expected '{', found 'B'

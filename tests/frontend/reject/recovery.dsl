Params M N; // ERROR[E107] 10: expected ';', found 'N'
Matrix A(M,M; // ERROR[E107] 13: expected ')', found ';'
B = A +; // ERROR[E107] 8: expected an expression, found ';'
C = (A; // ERROR[E107] 7: expected ')', found ';'
D = A + A;
CodeGen FLOAT; // ERROR[E107] 14: expected '(', found ';'

Matrix A(2,2);
B = A + A;
CodeGen(FLOAT, {B}); CodeGen(INT, {B}); // ERROR[E110] 22: found 'CodeGen'

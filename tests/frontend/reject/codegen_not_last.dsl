Matrix A(2,2);
B = A + A;
CodeGen(FLOAT, {B});
C = A - A; // ERROR[E110] 1: nothing may follow CodeGen, found 'C'

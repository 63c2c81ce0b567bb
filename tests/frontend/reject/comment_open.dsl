Matrix A(2,2);
B = A + A; /* ERROR[E102] 12: this comment is not closed
CodeGen(FLOAT, {B});

Matrix A(2,2);
/* a /* b */ ERROR[E102] 1: not closed
B = A + A;

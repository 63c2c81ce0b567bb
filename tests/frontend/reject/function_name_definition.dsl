Matrix A(2,2);
EXP = A + A; // ERROR[E204] 1: 'EXP' is the name of a function

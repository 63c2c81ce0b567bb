Params Max; // ERROR[E204] 8: 'Max' is the name of a function
Matrix A(2,2);
B = A + A;

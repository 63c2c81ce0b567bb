// ARGS: Q=5 // ERROR[E216] -: -D Q: the program has no such parameter
Matrix A(2,2);
B = A + A;

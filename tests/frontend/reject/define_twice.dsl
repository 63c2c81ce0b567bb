// ARGS: M=1 M=1 M=2 // ERROR[E218] -: -D M is given twice, as 1 and as 2
Params M;
Matrix A(M,M);
B = A + A;

// ARGS: M=-1 N=2147483648 // ERROR[E217] -: -D M=-1: a size is // ERROR[E217] -: -D N=2147483648
Params M, N;
Matrix A(M,N);
B = A + A;

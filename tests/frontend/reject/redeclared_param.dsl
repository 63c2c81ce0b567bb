Params M, N;
Params K, M; // ERROR[E203] 11: 'M' is already declared in line 1
Matrix A(M,N);
B = A + A;

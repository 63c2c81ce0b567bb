// ARGS: M=3 N=4
Params M, N;
Matrix A(M,2); Matrix B(N,2);
C = A + B; // ERROR[E205] 7: the shapes (M=3,2) and (N=4,2) do not agree in '+'

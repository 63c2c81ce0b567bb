// A parameter that may be 1 is not repeated.
Params M, N, K;
Matrix A(M,N); Matrix B(K,N);
C = A + B; // ERROR[E205] 7: the shapes (M,N) and (K,N) do not agree in '+'

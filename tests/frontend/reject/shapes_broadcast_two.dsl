Params M, N;
Matrix A(M,N); Matrix B(2,N);
C = A + B; // ERROR[E205] 7: the shapes (M,N) and (2,N) do not agree in '+'

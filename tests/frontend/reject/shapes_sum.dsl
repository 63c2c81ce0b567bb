Params M, N;
Matrix A(M,N); Matrix B(N,M); Matrix C(2,3); Matrix D(2,4);
E = A + B; // ERROR[E205] 7: the shapes (M,N) and (N,M) do not agree in '+'
F = C - D; // ERROR[E205] 7: the shapes (2,3) and (2,4) do not agree in '-'
G = A .* C; // ERROR[E205] 7: the shapes (M,N) and (2,3) do not agree in '.*'
H = min(A, D); // ERROR[E205] 5: the shapes (M,N) and (2,4) do not agree in 'min'

Params M, N;
Matrix A(3,4); Matrix B(M,N);
C = A * A; // ERROR[E206] 7: the inner sizes of (3,4) and (3,4) do not agree in '*'
D = B * B; // ERROR[E206] 7: the inner sizes of (M,N) and (M,N) do not agree in '*'
E = A^T * A^T; // ERROR[E206] 9: the inner sizes of (4,3) and (4,3) do not agree in '*'

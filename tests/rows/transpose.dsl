# A transposed matrix, as a matrix.
Params M, N;
Matrix A(M,N);
Y = A^T;
CodeGen(HALF, {Y});

// Without CodeGen everything that is not read is an output.
Params M, N;
Matrix A(M,N);
B = A + A;
C = B * A^T;
D = ReLU(B);

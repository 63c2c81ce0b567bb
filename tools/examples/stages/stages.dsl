# test: M=70 K=20 N=90
Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
Matrix C(M,N);
D = A * B + C;
CodeGen(FLOAT, {D});

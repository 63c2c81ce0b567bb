Params M, N, K;
Matrix A(M, K);
Matrix B(K, N);
C = A * B;
CodeGen(BFLOAT16, {C});

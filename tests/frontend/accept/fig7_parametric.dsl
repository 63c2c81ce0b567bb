Params M, K, N;
Matrix A(M,K);
Matrix B(M,K);
Matrix C(K,N);
Matrix D(K,N);
E=A+B;
F=C+D;
G=E*F;
CodeGen(FLOAT, {G});

Matrix A(128,128);
Matrix B(128,128);
Matrix V(1,128);
T = A * B;
C = T + V;
CodeGen(FLOAT, {C});

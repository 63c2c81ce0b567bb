Params N N;
Matrix A(N, 4000000000);
A = (((B + 1.2.3 @ ^X;
CodeGen(FLOT, {A, A});

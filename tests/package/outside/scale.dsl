Params N;
Matrix X(N,N);
Y = X * 0.5;
CodeGen(FLOAT, {Y});

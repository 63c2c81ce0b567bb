Params M;
Matrix mod(M,1); Matrix and(1,M); Matrix T(M,M);
i = mod*and; p0 = T^T; i = i + p0;
CodeGen BF(BFLOAT16, {i});

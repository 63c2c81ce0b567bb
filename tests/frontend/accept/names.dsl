// Names that isl takes for itself, or that we make, do no harm.
Params i, mod, floor;
Matrix j(i,mod); Matrix k(mod,floor); Matrix C_mul(i,floor);
C = j * k;
C = C + C_mul;
exists = C - C_mul;
j = j + j;
CodeGen(FLOAT, {C, exists, j});

Params M, N;
Matrix r(1,N); Matrix c(M,1);
A = r + c; // ERROR[E207] 7: in '+' both operands, (1,N) and (M,1), would have to be repeated
B = max(c, r); // ERROR[E207] 5: in 'max' both operands, (M,1) and (1,N)

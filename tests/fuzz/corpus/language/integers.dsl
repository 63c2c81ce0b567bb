Params N;
Matrix A(N, 3); Matrix B(3, N);
C = A*B; C = C + C .* -2147483648;
D = abs(max(C, 7)) * B';
CodeGen(INT, {D, C});

// What is not needed is told, and left out.
Params M, N, K; // WARNING[W232] 14: the parameter 'K' is never used
Matrix A(M,N);
Matrix B(M,N); // WARNING[W231] 8: the matrix 'B' is never read
C = A + A; // WARNING[W233] 1: no output needs 'C'; this definition is left out
C = A - A;
D = A .* A; // WARNING[W233] 1: no output needs 'D'
E = D + D; // WARNING[W233] 1: no output needs 'E'
U = A^T; // WARNING[W233] 1: no output needs 'U'
F = C + A;
nest idle(param n, f32 x[n]) { // WARNING[W124] 6: the nest 'idle' is never called
	for (int i = 0; i < n; i++) x[i] = 0;
}
CodeGen(FLOAT, {F});

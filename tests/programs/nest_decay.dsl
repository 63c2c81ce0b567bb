# Matrices, index notation and a loop nest in one program.
Params M, K, N;  Matrix A(M,K);  Matrix B(K,N);
S = A * B;
m(i) max= S(i,j);      E(i,j) = exp(S(i,j) - m(i));
z(i) += E(i,j);        P(i,j) = E(i,j) / z(i);
nest decay(param M, param N, f32 P[M][N]) {
  for (int j = 1; j < N; j++) for (int i = 0; i < M; i++) P[i][j] += 0.9f * P[i][j-1];
}
decay(P);
CodeGen(FLOAT, {P});

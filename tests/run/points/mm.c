void mm(int n, double C[n][n], double A[n][n], double B[n][n], double beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= 1.5;
      for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];
    }
}

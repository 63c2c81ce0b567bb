void adi(int T, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n]) {
  for (int t = 1; t <= T; t++) {
    for (int i = 1; i < n - 1; i++) {
      v[0][i] = 1.0; p[i][0] = 0.0; q[i][0] = v[0][i];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -0.25 / (0.5 * p[i][j-1] + 2.0);
        q[i][j] = (u[j][i-1] * 0.25 + u[j][i] + u[j][i+1] * 0.25 - q[i][j-1]) / (0.5 * p[i][j-1] + 2.0);
      }
      v[n-1][i] = 1.0;
      for (int j = n - 2; j >= 1; j--) v[j][i] = p[i][j] * v[j+1][i] + q[i][j];
    }
  }
}

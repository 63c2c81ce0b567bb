void scal(int n, double A[n][n], double x[n], double y[n]) {
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = 0; j < n; j++) s += A[i][j] * x[j];
    double t = s * 2.0;
    y[i] = t + s;
  }
}

void conv(int n, int m, double c[n + m], double a[n], double b[m]) {
  for (int i = 0; i < n + m; i++) c[i] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) c[i + j] += a[i] * b[j];
}

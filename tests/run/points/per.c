void per(int n, float a[n], float b[n], int m, float c[m][m][m], float d[m][m][m]) {
  for (int i = 0; i < n; i++) b[i] = a[i];
  for (int i = 0; i < n; i += 3) b[i] = a[i / 2] + a[n - 1 - i];
  for (int i = 0; i < m; i++) for (int j = 0; j <= i; j++) for (int k = j; k < m; k++) c[i][j][k] = d[k][j][i] * 2.0f;
}

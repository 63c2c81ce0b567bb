/* With n = 1 the second nest has no point: its kernel is there, but no grid. */
void never(int n, double a[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = a[i][j] + 1.0;
  for (int i = 2; i < n; i++)
    for (int j = 3; j < i; j++) a[i][j] = a[i][j] * a[i][j];
}

void nuss(int n, int seq[n], int t[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0) t[i][j] = t[i][j] > t[i][j-1] ? t[i][j] : t[i][j-1];
      if (i + 1 < n) t[i][j] = t[i][j] > t[i+1][j] ? t[i][j] : t[i+1][j];
      for (int k = i + 1; k < j; k++)
        t[i][j] = t[i][j] > t[i][k] + t[k+1][j] ? t[i][j] : t[i][k] + t[k+1][j];
    }
}

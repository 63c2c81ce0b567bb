// sizes: n=1 m=1; n=8 m=5; n=13 m=11
void row_max(int n, int m, float A[n][m], float out[n])
{
	int i, j;
	float mx;
	for (i = 0; i < n; i++) {
		mx = A[i][0];
		for (j = 1; j < m; j++) {
			if (A[i][j] > mx)
				mx = A[i][j];
		}
		out[i] = mx;
		if (i % 2)
			out[i] *= 2;
		for (j = m - 1; j > 0; j -= 2) {
			float t = A[i][j];
			A[i][j] = A[i][j - 1];
			A[i][j - 1] = t;
		}
	}
}

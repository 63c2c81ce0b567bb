// sizes: n=3 m=7; n=5 m=8
void rounds(int n, int m, double C[m], const int B[m][10][n][m], float A[m + 5][7][m + 1])
{
	for (int i1 = 1; i1 < m - 1; i1 += 2) {
		for (int i2 = i1; i2 < m / 2; i2 += 2)
			for (int i3 = i2 - 1; i3 >= -1; i3--)
				C[i3 + 1] = C[i3 + 1] - B[i2][i3 + 1][i2][i3 + 1] + (C[i2 + 2] - (i3 - 2));
		for (int i4 = 1; i4 < n - 1 && i4 < m / 2; i4 += 3)
			for (int i5 = 0; i5 < i1 - 1; i5 += 2) {
				A[i4 + 1][i5 + 3][1] += C[i1 + 1] - A[i5][i4 + 1][i1 + 1] * A[i1][i5 + 1][-i5 + n];
				if (i4 == B[i1 + 1][i1 + i4 + 3][i4][i5 + 1])
					C[i5 + 1] += A[2 * i1 + 1][i5 + 3][i1 + 1] - C[i5 + 1];
			}
	}
}

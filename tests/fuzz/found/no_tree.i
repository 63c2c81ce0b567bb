// --fp=relaxed -Dn=1 -Dm=3
// Last writes that isl does not find in useful time, and so no tree of them.
double sqrt(double); float sqrtf(float); double fabs(double); float fabsf(float);
void f(int n, int m, const double B[m + 2][2][n + 3], int A[n + 3][n + 3][n + 3][n + 4], int D[n + 4][n + 4], const double C[n][2][1][n + 3])
{
	for (int i1 = 1; i1 < m; i1++) {
		for (int i2 = 0; i2 < n; i2++) {
			for (int i3 = 1, k4 = -1; i3 < n - 1; i3 += 2, k4++) {
				for (int i5 = (-1 > k4 ? -1 : k4); i5 < -k4 + n + 1; i5 += 2) {
					double s6 = B[i3 + i5 + 1][i3][i1 + 1];
					A[k4 + 1][i1 + 1][i3 + 2][i5 + 1] &= (B[k4 + 1][i3 - 1][i5 + 1] <= B[k4 + 1][i3][i5 + 1]);
					A[i2 + 2][k4 + 1][i3][i5 + 1] = ((A[i2 + 2][k4 + 1][i3][i5 + 1] < ((D[k4 + 1][i1 % 2 + 2] * (i3)) + (D[i3 + 1][i5 + 2] + (2 * i3)))) ? A[i2 + 2][k4 + 1][i3][i5 + 1] : ((D[k4 + 1][i1 % 2 + 2] * (i3)) + (D[i3 + 1][i5 + 2] + (2 * i3))));
					double s7 = C[i2][k4 + 1][i3 - 1][i5 + 1];
					D[i1 + 2][i2 + 2] *= (D[i3 + 2][i5 + 2] - D[i3 + 2][i5 + 1]);
					A[k4 + 2][i3 + 1][i5 + 1][i1 + 2] += A[i2 + 3][k4 + 1][i3 + 1][i5 + 1];
				}
			}
		}
	}
}

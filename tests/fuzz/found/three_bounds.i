// --fp=strict --no-contract -Dn=7 -Dm=4
// Three lower bounds of a loop, two of them negated: ptxas lost a sign.
double sqrt(double); float sqrtf(float); double fabs(double); float fabsf(float);
void f(int n, int m, float A[3][3], float C[1])
{
	float D[m][3][3][3];
	for (int q0 = 0; q0 < m; q0++)
		for (int q1 = 0; q1 < 3; q1++)
			for (int q2 = 0; q2 < 3; q2++)
				for (int q3 = 0; q3 < 3; q3++)
					D[q0][q1][q2][q3] = q0 + q1 + q2 + q3 * 0.125;
	float B[3][m + 3][m + 2][3];
	for (int q0 = 0; q0 < 3; q0++)
		for (int q1 = 0; q1 < m + 3; q1++)
			for (int q2 = 0; q2 < m + 2; q2++)
				for (int q3 = 0; q3 < 3; q3++)
					B[q0][q1][q2][q3] = q0 + q1 + q2 + q3 * 0.125;
	for (int i1 = 0; i1 < m - 1; i1 += 2) {
		A[i1][i1] *= (D[-i1 + m - 1][i1][i1][i1] - (((i1 - 2) != (1)) ? B[i1][i1][i1 + 2][i1] : B[i1][2 * i1 + 2][i1 + 2][i1]));
	}
	for (int i2 = 0; i2 < 1; i2++) {
		for (int i3 = (0 > -1 ? 0 : -1); i3 < i2 - 1; i3++) {
			if (((i2 + 2) > (n - 1))) {
				A[i2][i3] = (A[i2][i3] - (A[i2][2] + 2.0));
			}
		}
		for (int i4 = i2; i4 < i2; i4 += 3) {
			for (int i5 = 0; i5 < i4; i5 += 3) {
				float s6 = A[2 * i4][i4];
				D[i5][i2][i4][i5] += (B[i4][2 * i2 + 1][2 * i4 + 2][i2] - A[i5][i2]);
				C[i5] = (((D[i2][2][i2][i4] - D[i2][i2][i5][i4]) + ((i4) + D[i5][i5][i5][i2])) - (2.0 + (B[2 * i5 + 1][i4 + 1][i5][i4 + 1] / (2.0 + fabs(B[i4 + 2 * i5][-i2][-i5 + m + 1][i2])))));
			}
		}
	}
}

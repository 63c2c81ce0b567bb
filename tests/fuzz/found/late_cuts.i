// --fp=strict --no-contract -Dn=4 -Dm=2
// Cuts of a loop that isl does not find in useful time.
double sqrt(double); float sqrtf(float); double fabs(double); float fabsf(float);
void f(int n, int m, float B[m + 3][m + 4], float A[m + 2][m + 2][m + 2])
{
	for (int i1 = 0; i1 < m; i1 += 2) {
		for (int i2 = 1; i2 < -i1 + n + 1; i2++) {
			B[i1][i2 + 1] = ((B[i1][i2 + 1] > (B[i1][i2 + 1] - ((((B[i1][i2 + 1] > (- B[i2][i1 + 1])) ? B[i1][i2 + 1] : (- B[i2][i1 + 1])) > (- (i2 + 2))) ? ((B[i1][i2 + 1] > (- B[i2][i1 + 1])) ? B[i1][i2 + 1] : (- B[i2][i1 + 1])) : (- (i2 + 2))))) ? B[i1][i2 + 1] : (B[i1][i2 + 1] - ((((B[i1][i2 + 1] > (- B[i2][i1 + 1])) ? B[i1][i2 + 1] : (- B[i2][i1 + 1])) > (- (i2 + 2))) ? ((B[i1][i2 + 1] > (- B[i2][i1 + 1])) ? B[i1][i2 + 1] : (- B[i2][i1 + 1])) : (- (i2 + 2)))));
		}
		for (int i3 = i1 + 1; i3 < n / 2; i3++) {
			for (int i4 = -i1 + m - 1; i4 >= i1 - 1; i4 -= 2) {
				float s5 = A[i1 + 1][i3 % 2 + 1][i3 + 2];
				B[i3][i4 + 1] += sqrt(fabs((s5 / (2.0 + fabs(A[i1 + 2][i1][i3 + 1])))));
				A[i4 - i3 + 2][i1 + 1][i1 + 1] += (B[i3][i1 + 1] + (0.25f + A[i1 + 2][i3 + 2][i4 + 1]));
			}
		}
	}
}

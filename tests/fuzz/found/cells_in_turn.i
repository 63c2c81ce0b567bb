// --fp=strict --no-contract --parametric -Dn=9 -Dm=4
// A loop over cells below that of a sum: lanes cannot add up several in turn.
double sqrt(double); float sqrtf(float); double fabs(double); float fabsf(float);
void f(int n, int m, int C[m + 6], int A[n + 2][11][m + 8][n + 6][n + 3], const double D[n + 1][m + 5][m + 1])
{
	int B[12] = {-2, 1, 4, 0, 3, -1, 2};
	for (int i1 = 0; i1 < n + 1; i1++) {
		if (((i1 - 2) <= (m - 1))) {
			C[i1] = A[i1][i1 + 1][i1 + 2][(i1 - 1) / 2 + 1][i1 + 2];
		}
		for (int i2 = 0; i2 < i1; i2++) {
			for (int i3 = 2; i3 < 5; i3++) {
				A[i1 + 1][i1 + 1][3][i3 + i1 + 1][-i3 + n - 1] += (! ((4.0 * D[i1][i2][i3]) > -99 && (4.0 * D[i1][i2][i3]) < 99 ? (int)(4.0 * D[i1][i2][i3]) : 3));
			}
		}
	}
	for (int i4 = 0; i4 < 5 && i4 < n / 2; i4++) {
		for (int i5 = 1; i5 < m + 1; i5++) {
			for (int i6 = n - 1; i6 >= i4 + 1; i6--) {
				int s7 = B[i6 + 1];
				B[i6 + 3] = ((s7 + s7) - 2);
				B[i5 + 2] &= (B[i4 + 1] - 1);
			}
			for (int i8 = i4 + 1 - 1; i8 >= 0; i8--) {
				B[i5 + 2] += ((((A[i5 + 1][i5 + 1][i8 + i4 + 1][i5 + 1][i5] < (- C[i8 + 1])) ? A[i5 + 1][i5 + 1][i8 + i4 + 1][i5 + 1][i5] : (- C[i8 + 1])) < (- A[i8 + 2][i4 + 1][i4 + 1][i4 + i8 + 1][0])) ? ((A[i5 + 1][i5 + 1][i8 + i4 + 1][i5 + 1][i5] < (- C[i8 + 1])) ? A[i5 + 1][i5 + 1][i8 + i4 + 1][i5 + 1][i5] : (- C[i8 + 1])) : (- A[i8 + 2][i4 + 1][i4 + 1][i4 + i8 + 1][0]));
			}
			for (int i9 = -1; i9 < m / 2; i9 += 3) {
				int s10 = C[i9 + 1];
				B[(i5 + 1) / 2 + 2] = (B[(i5 + 1) / 2 + 2] - (A[i5][i5 + 1][i4][i9 + 1][i5 + 1] - (A[i9 + 1][i9 + 1][i9 + 1][i9 + 1][i9 + 2] | B[i9 + 1])));
				C[i4] = (C[i4] - ((i9 + 2) * ((i4) | B[i5 + 2])));
			}
		}
	}
}


131 s, up to seed 1200001121: c: 731 ran, 1 failed, 210 were refused, 1 took too long (1 compiling); index: 1004 ran, 0 failed, 12 were refused, 0 took too long
141 s, up to seed 1200001201: c: 788 ran, 1 failed, 228 were refused, 1 took too long (1 compiling); index: 1081 ran, 0 failed, 14 were refused, 0 took too long
151 s, up to seed 1200001249: c: 821 ran, 1 failed, 235 were refused, 1 took too long (1 compiling); index: 1168 ran, 0 failed, 16 were refused, 0 took too long
161 s, up to seed 1200001325: c: 881 ran, 1 failed, 257 were refused, 1 took too long (1 compiling); index: 1233 ran, 0 failed, 17 were refused, 0 took too long
171 s, up to seed 1200001403: c: 953 ran, 1 failed, 279 were refused, 1 took too long (1 compiling); index: 1287 ran, 0 failed, 17 were refused, 0 took too long
182 s, up to seed 1200001452: c: 1008 ran, 1 failed, 291 were refused, 1 took too long (1 compiling); index: 1348 ran, 0 failed, 19 were refused, 0 took too long
192 s, up to seed 1200001522: c: 1066 ran, 1 failed, 306 were refused, 1 took too long (1 compiling); index: 1408 ran, 0 failed, 20 were refused, 0 took too long
202 s, up to seed 1200001602: c: 1122 ran, 1 failed, 326 were refused, 1 took too long (1 compiling); index: 1472 ran, 0 failed, 23 were refused, 0 took too long
212 s, up to seed 1200001681: c: 1154 ran, 1 failed, 338 were refused, 1 took too long (1 compiling); index: 1556 ran, 0 failed, 24 were refused, 0 took too long
222 s, up to seed 1200001721: c: 1179 ran, 1 failed, 349 were refused, 1 took too long (1 compiling); index: 1634 ran, 0 failed, 25 were refused, 0 took too long
232 s, up to seed 1200001841: c: 1242 ran, 1 failed, 369 were refused, 1 took too long (1 compiling); index: 1693 ran, 0 failed, 27 were refused, 0 took too long
243 s, up to seed 1200001890: c: 1313 ran, 1 failed, 407 were refused, 1 took too long (1 compiling); index: 1757 ran, 0 failed, 30 were refused, 0 took too long
253 s, up to seed 1200001901: c: 1356 ran, 1 failed, 413 were refused, 1 took too long (1 compiling); index: 1837 ran, 0 failed, 34 were refused, 0 took too long
263 s, up to seed 1200002009: c: 1428 ran, 1 failed, 423 were refused, 1 took too long (1 compiling); index: 1912 ran, 0 failed, 34 were refused, 0 took too long

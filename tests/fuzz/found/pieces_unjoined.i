// --host-seed=769 --fp=relaxed -Dn=1 -Dm=1
// isl finds itself at fault where it joins pieces of dependences.
void f(int n, int m, float A[n + 11][m + 11])
{
	for (int i1 = 0; i1 < n; i1++)
		for (int i2 = m / 4, k3 = 0; i2 < 4; i2++, k3 += 2)
			A[k3 + 3][i2 + 3] += A[k3 + 2][i2 + 3] - A[i1 + 2][i2 + 3];
	for (int i5 = m - 2; i5 >= -1; i5 -= 3)
		for (int i6 = n, k7 = i5; i6 >= 0; i6 -= 3, k7 += 2)
			A[k7 + 2][(i5 % -5 <= 2 ? i5 - 2 : i5 + 2) + 3] = A[k7 + 2][i6 + 2] + A[i6 + 2][k7 + 3];
}

void f(int n, double a[n], double b[n])
{
	int m = 1;
	for (int k = 0; k < n; k++) {
		m = m * 2;
		for (int i = 0; i < m; i++) // ERROR[E258] 23: not affine
			b[i] = 1;
	}
}

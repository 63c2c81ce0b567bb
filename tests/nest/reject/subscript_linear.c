void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i * n + j] = 1; // ERROR[E259] 6: not affine
}

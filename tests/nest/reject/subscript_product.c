void f(int n, double *a, double b[n])
{
	for (int i = 0; i < n; i++)
		a[i * i] = 1; // ERROR[E259] 5: not affine
}

void f(int n, double a[n], const int k[n])
{
	for (int i = 0; i < n; i++)
		a[k[i]] = 1; // ERROR[E259] 5: not affine
}

void f(int n, double *a, const int k[n], int c[n])
{
	for (int i = 0; i < n; i++)
		a[k[i]] = 1; // ERROR[E284] 5: this subscript of 'a' is data
	for (int i = 0; i < n; i++)
		c[c[i]] = 1; // ERROR[E259] 5: not affine
	for (int i = 0; i < n; i++)
		c[i] = c[k[i]]; // ERROR[E259] 12: not affine
}

void f(int n, double *a, double b[n])
{
	int k = 0;
	for (int i = 0; i < n; i += 2) {
		a[k] = b[i]; // ERROR[E259] 5: not affine
		if (b[i] > 0)
			k++;
	}
}

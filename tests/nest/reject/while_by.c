void f(int n, double a[n], double b[n])
{
	int k = 0, w = 1;

	while (k < n) { // ERROR[E144] 2: 'while' is not accepted
		int w = 3;

		a[k] = w;
		k += w;
	}
}

void f(int n, double a[n], double b[n])
{
	unsigned i;
	for (i = 0; i < n; i += 2)
		a[i] = 1;
	b[0] = i; // ERROR[E262] 9: its loop is not around
}

void f(int n, double a[n], double b[n])
{
	int i;
	for (i = 0; i < n; i++)
		a[i] = 1;
	b[i] = 2; // ERROR[E262] 4: its loop is not around
}

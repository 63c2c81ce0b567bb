void f(int n, double a[n], double b[n])
{
	int i;
	for (i = 0; i < n; i++)
		a[i] = 1;
	b[0] = i; // ERROR[E262] 9: its loop is not around
}

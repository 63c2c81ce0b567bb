void f(int n, double a[n], double b[n])
{
	int i;
	for (int j = 0; j < n; j++)
		for (i = 0; i < j; i++)
			a[i] = 1;
	b[i] = 2; // ERROR[E262] 4: its loop is not around
}

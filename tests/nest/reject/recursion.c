int f(int n, int a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = f(n - 1, a[0]); // ERROR[E254] 10: 'f' is not known
	return 0;
}

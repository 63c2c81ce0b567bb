int f(int n, int a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = f(n - 1, a[0]); // ERROR[E161] 10: it is the function that is compiled
	return 0;
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = c; // ERROR[E251] 10: 'c' is not declared
}

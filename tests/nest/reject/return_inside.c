void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		return; // ERROR[E144] 3: 'return'
	a[0] = 1;
}

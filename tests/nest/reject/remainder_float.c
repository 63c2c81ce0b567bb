void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = b[i] % 2; // ERROR[E255] 15: needs an integer
}

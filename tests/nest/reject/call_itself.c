void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		f(n, a, b); // ERROR[E256] 8: 'a' has 1 dimensions
}

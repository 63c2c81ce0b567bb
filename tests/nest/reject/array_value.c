void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = b; // ERROR[E256] 10: 'b' has 1 dimensions
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i * 1.0] = 1; // ERROR[E255] 5: needs an integer
}

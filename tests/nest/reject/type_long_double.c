void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = (long double)b[i]; // ERROR[E143] 11: cannot be a long double
}

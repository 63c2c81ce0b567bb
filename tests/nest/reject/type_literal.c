void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = 1.0L; // ERROR[E143] 10: cannot be a long double
}

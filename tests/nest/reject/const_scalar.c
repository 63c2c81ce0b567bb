void f(int n, double a[n], double b[n])
{
	const double c = 1;
	for (int i = 0; i < n; i++)
		c += a[i]; // ERROR[E257] 3: 'c' is const
}

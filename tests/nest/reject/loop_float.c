void f(int n, double a[n], double b[n])
{
	for (double x = 0; x < n; x += 1) // ERROR[E145] 14: not an integer
		a[0] = x;
}

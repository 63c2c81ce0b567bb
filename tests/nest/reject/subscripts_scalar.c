void f(int n, double a[n], double b[n])
{
	double x = 1;
	for (int i = 0; i < n; i++)
		a[i] = x[0]; // ERROR[E256] 10: 'x' has 0 dimensions
}

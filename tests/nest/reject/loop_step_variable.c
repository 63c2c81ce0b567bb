void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i += n) // ERROR[E145] 25: step is not a constant
		a[i] = 1;
}

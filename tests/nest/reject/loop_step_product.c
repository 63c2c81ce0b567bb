void f(int n, double a[n], double b[n])
{
	for (int i = 1; i < n; i *= i) // ERROR[E145] 25: step is not a constant
		a[i] = 1;
}

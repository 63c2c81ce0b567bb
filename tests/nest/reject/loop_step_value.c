void f(int n, int w, double a[n], double b[n])
{
	for (int i = 0; i < n; i += b[0]) // ERROR[E145] 25: step is not a constant
		a[i] = 1;
	for (int i = 0; i < n; i = w - i) // ERROR[E145] 25: step is not a constant
		a[i] = 1;
}

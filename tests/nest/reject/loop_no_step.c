void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; ) // ERROR[E145] 25: does not change
		a[i] = 1;
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i += 0) // ERROR[E145] 25: other than 0
		a[i] = 1;
}

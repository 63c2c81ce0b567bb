void f(int n, double a[n], double b[n])
{
	int i = 0;
	for (; i < n; i++) // ERROR[E145] 7: begins without a value
		a[i] = 1;
}

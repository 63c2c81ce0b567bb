void f(int n, double a[n], double b[n])
{
	int i = 0;
	for (a[0] = 1; i < n; i++) // ERROR[E145] 7: begins without a value
		b[i] = 1;
}

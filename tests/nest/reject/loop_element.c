void f(int n, double a[n], double b[n])
{
	for (a[0] = 0; a[0] < n; a[0] += 1) // ERROR[E145] 7: begins without a value
		b[0] = 1;
}

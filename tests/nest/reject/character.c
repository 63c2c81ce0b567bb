void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = `b[i]; // ERROR[E101] 10: unexpected '`'
}

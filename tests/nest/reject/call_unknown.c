void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = g(b[i]); // ERROR[E254] 10: 'g' is not known
}

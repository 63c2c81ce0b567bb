void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		g(); // ERROR[E254] 3: 'g' is not known
}

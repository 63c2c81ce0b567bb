static double norm(int n, const double x[n])
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += x[i] * x[i];
	return s;
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = b[i] > 0 ? norm(i, b) : 0; // ERROR[E272] 21: 'norm' has statements
	for (int i = 0; i < norm(n, b); i++) // ERROR[E145] 2: a call in its head
		a[i] = 0;
}

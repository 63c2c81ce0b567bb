static double norm(int n, const doubl 0;

	for (int i = 0; i < n; i++)
		s += x[i] * x[i]AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA;
	return s;
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = b[i] > 0 ? normAAAAAAAAA;
	return s;
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = b[i] > 0 ? norm(i,(i, b) : 0; // ERROR[E272] 21: 'norm' has statements
	for (int i = 0; i  norm(n, b);; i++) // ERROR[E145] 2: a call in its head
		a[i] = 0;
}

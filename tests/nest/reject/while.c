void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		while (n) // ERROR[E144] 3: 'while' is not accepted
		a[0] = 1;
}

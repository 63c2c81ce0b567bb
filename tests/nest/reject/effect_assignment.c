void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		if (a[i] = b[i]) // ERROR[E146] 12: inside an expression
			a[i] = 1;
}

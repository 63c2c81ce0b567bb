void f(int n, double a[n], double b[n])
{
	double c = 1;
	double c = 2; // ERROR[E252] 9: 'c' is already declared
	for (int i = 0; i < n; i++)
		a[i] = c;
}

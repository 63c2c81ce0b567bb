void f(int n, double a[n], double b[n])
{
	double *p = a; // ERROR[E107] 14: expected '{'
	for (int i = 0; i < n; i++)
		p[i] = 1;
}

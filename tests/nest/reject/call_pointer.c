static void next(double *x, int n)
{
	for (int i = 0; i < n; i++)
		*x++ = 0; // ERROR[E253] 4: 'x' cannot be used: it is a pointer that changes
}

void f(int n, double a[n], float b[n])
{
	double *p = a, *q = a + 1;

	next(a, n);
	next(b, n); // ERROR[E151] 7: pointers are accepted as arrays only
	for (int i = 0; i < n; i++)
		p = q + i; // ERROR[E253] 3: 'p' cannot be used: it is a pointer that changes
}

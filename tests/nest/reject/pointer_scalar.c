static void set(double *x, int k)
{
	x[0] = 1;
	x[k] = 2; // ERROR[E151] 2: as arrays only
}

void f(int n, double a[n], float b[n])
{
	double s, t, u;
	const double *q = &t + 1;

	set(&s, n);
	set(&s[0], n); // ERROR[E256] 7: 's' has 0 dimensions
	for (int i = 0; i < n; i++) {
		set(&i, 2); // ERROR[E151] 7: as arrays only
		a[i] = s + t + *q; // ERROR[E151] 18: as arrays only
	}
}

static void set(double *x, int k)
{
	x[0] = 1;
	x[k] = 2; // ERROR[E151] 2: as arrays only
}

void f(int n, double a[n], float b[n])
{
	double s, t;
	const double *q = &t + 1; // ERROR[E107] 23: expected

	set(&s, n);
	set(&s[0], n); // ERROR[E151] 6: as arrays only
	for (int i = 0; i < n; i++) {
		set(&i, 2); // ERROR[E151] 7: as arrays only
		a[i] = s + t;
	}
}

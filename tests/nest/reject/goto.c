static void g(int n, double a[n])
{
again:
	a[0] = 1;
	if (n > 7)
		goto again; // ERROR[E166] 3: its label is in front of it
}
void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		if (i > 3)
			goto nowhere; // ERROR[E166] 4: there is no such label
	}
	for (int i = 0; i < n; i++) {
		if (i > 2)
			goto inside; // ERROR[E166] 4: inside of another statement
		if (i > 1) {
inside:
			a[i] = 1;
		}
	}
	for (int i = 0; i < n; i++) {
		if (b[i] > 0)
			goto over; // ERROR[E166] 4: a declaration stands between
		double t = b[i];
over:
		a[i] = t;
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			if (j > 4)
				goto end; // ERROR[E166] 5: outside of the loop
end:
	a[0] = 1;
	goto *a; // ERROR[E144] 2: 'goto'
	g(n, a);
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		double c = 1;
		a[i] = c;
	}
	b[0] = c; // ERROR[E251] 9: 'c' is not declared
}

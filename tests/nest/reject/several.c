void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		a[i] = c; // ERROR[E251] 10: 'c'
		b[i] = d; // ERROR[E251] 10: 'd'
	}
	while (n) // ERROR[E144] 2: 'while'
		;
	a[0] = e; // ERROR[E251] 9: 'e'
}

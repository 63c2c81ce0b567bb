void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		if (b[i] > 0) {
			continue;
			a[i] = 1;
		}
		a[i] = 2;
	}
	for (int i = 0; i < n; i++) {
		if (i > 2)
			continue;
		else
			continue;
		a[i] = 3;
	}
	continue; // ERROR[E144] 2: 'continue'
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		if (b[i] > 0) {
			if (i == 3) // ERROR[E144] 4: 'continue'
				continue;
			a[i] = 1;
		}
		a[i] = 2;
	}
	for (int i = 0; i < n; i++) {
		a[i] = 1;
		continue; // ERROR[E144] 3: 'continue'
	}
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		if (i == 3)
			continue; // ERROR[E144] 4: 'continue'
		a[i] = 1;
	}
}

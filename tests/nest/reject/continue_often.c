void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		if (i > 1) if (b[i] > 1) continue;
		if (i > 2) if (b[i] > 2) continue;
		if (i > 3) if (b[i] > 3) continue;
		if (i > 4) if (b[i] > 4) continue;
		if (i > 5) if (b[i] > 5) continue;
		if (i > 6) if (b[i] > 6) continue;
		if (i > 7) if (b[i] > 7) continue; // ERROR[E144] 28: 'continue'
		a[i] = 1;
	}
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		if (a[i] < 0)
			break; // ERROR[E144] 4: 'break'
		a[i] = 1;
	}
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		if (a[i] < 0)
			break; // ERROR[E144] 4: 'break'
		a[i] = 1;
	}
	for (int i = 0; i < n; i++)
		if (b[i] > 1)
			for (int j = 0; j < n; j++) {
				if (j > i)
					break;
				if (j > 3 && b[j] > 2)
					break; // ERROR[E144] 6: 'break'
			}
}

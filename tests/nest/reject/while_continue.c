void f(int n, double a[n], double b[n])
{
	int i = 0;

	while (i < n) { // ERROR[E144] 2: 'while' is not accepted
		if (b[i] > 0) {
			i++;
			continue;
		}
		a[i] = 1;
		i++;
	}
}

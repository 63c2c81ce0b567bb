void f(int n, double a[n], double b[n])
{
	int j = 0;

	while (j < n) { // ERROR[E144] 2: 'while' is not accepted
		int j = 2;

		a[j] = 1;
		j++;
	}
}

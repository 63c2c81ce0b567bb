void f(int n, double a[n], double b[n])
{
	int i = 0;

	do { // ERROR[E144] 2: 'do' is not accepted
		if (b[i] > 0)
			break;
		a[i] = 1;
		i++;
	} while (i < n);
}

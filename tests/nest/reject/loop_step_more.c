void f(int n, double a[n], double b[n])
{
	int j;
	for (int i = 0; i < n; i++, j = i) // ERROR[E145] 30: another variable
		a[i] = j;
	for (int i = 0; i < n; i++, a[i] = 0) // ERROR[E145] 30: another variable
		b[i] = 0;
	for (int i = 0, k = 0; i < n; k++) // ERROR[E145] 32: another variable
		b[i] = k;
	for (int i = 0, k = 0; j < n; i++, k++) // ERROR[E145] 32: another variable
		b[i] = k;
}

void f(int n, double a[n])
{
	int i, j = 3;
	for (i = j, j = 1; i < n; i++, j++) // ERROR[E145] 14: this changes what
		a[i] = j;
	for (i = 0, i = 1, j = 0; i < n; i++, j++) // ERROR[E145] 14: this changes what
		a[i] = j;
}

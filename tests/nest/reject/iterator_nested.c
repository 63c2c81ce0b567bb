void f(int n, double a[n], double b[n])
{
	int i;
	for (i = 0; i < n; i++)
		for (i = 0; i < n; i++) // ERROR[E261] 3: 'i' is changed
			a[i] = 1;
}

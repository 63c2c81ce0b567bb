void f(int n, double a[n], double b[n])
{
	int j = 0;
	for (int i = 0; i < n; j++) // ERROR[E145] 25: another variable
		a[i] = 1;
}

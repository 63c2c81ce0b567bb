void f(int n, double a[n], double b[n])
{
	for (int i = 0, j = 0; i < n; i++) // ERROR[E145] 18: more than one variable
		a[i] = j;
}

void f(int n, double a[n], double b[n]) // ERROR[E271] 1: changes nothing
{
	return;
	for (int i = 0; i < n; i++)
		a[i] = 1;
}

void f(int n, double a[n], double b[n])
{
	return; // ERROR[E271] -: changes nothing
	for (int i = 0; i < n; i++)
		a[i] = 1;
}

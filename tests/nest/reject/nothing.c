void f(int n, double a[n], double b[n]) // ERROR[E271] 1: changes nothing
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += a[i];
}

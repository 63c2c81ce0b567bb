void f(int n, double a[n], double b[n])
{
	double s = 0; // ERROR[E271] -: changes nothing
	for (int i = 0; i < n; i++)
		s += a[i];
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = (double *)b; // ERROR[E151] 11: as arrays only
}

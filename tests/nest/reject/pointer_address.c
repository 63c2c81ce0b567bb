void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = &b[i] == 0; // ERROR[E151] 10: as arrays only
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		*(a + i) = 1; // ERROR[E151] 3: as arrays only
}

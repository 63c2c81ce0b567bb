void f(int n, double a[n], double b[n])
{
	static double t;
	for (int i = 0; i < n; i++)
		t += a[i]; // ERROR[E253] 3: it is static
}

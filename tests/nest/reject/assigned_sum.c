void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] + 1 = 2; // ERROR[E147] 3: can be assigned
}

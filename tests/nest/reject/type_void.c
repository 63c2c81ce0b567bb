void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = sizeof(void); // ERROR[E143] 17: cannot be void
}

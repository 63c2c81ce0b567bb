void f(int n, double a[n], double b[n])
{
	for (int i = 0; i != n; i += 2) // ERROR[E263] 18: does not end
		a[0] = 1;
}

void f(unsigned n, double a[n])
{
	for (unsigned i = 0; i < 1; i++)
		a[i - 1] = 1; // ERROR[E264] 5: wraps
}

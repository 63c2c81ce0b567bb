void f(unsigned n, double a[n])
{
	for (unsigned i = 4; i >= 0; i--) // ERROR[E264] 23: wraps
		a[0] = 1;
}

void f(int n, double a[n])
{
	for (unsigned i = n - 1; i < n; i -= 2) // WARNING[W281] 20: n > 0 // ERROR[E264] 27: wraps // ERROR[E263] 27: does not end
		a[i] += 1; // ERROR[E265] 3: outside
}

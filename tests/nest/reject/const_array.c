void f(int n, const double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = 1; // ERROR[E257] 3: 'a' is const
}

void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i][0] = 1; // ERROR[E256] 3: 'a' has 1 dimensions
}

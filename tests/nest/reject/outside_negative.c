void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = b[-1 - i]; // ERROR[E265] 10: outside of the array 'b'
}

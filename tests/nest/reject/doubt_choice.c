void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = a[i] > 0 ? b[i + 1] : 0; // ERROR[E266] 21: may be outside of the array 'b'
}

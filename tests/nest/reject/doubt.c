void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		if (a[i] > 0)
			a[i] = b[i - 1]; // ERROR[E266] 11: may be outside of the array 'b'
}

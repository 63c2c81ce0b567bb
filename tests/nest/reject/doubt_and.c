void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		if (a[i] > 0 && b[i - 1] > 0) // ERROR[E266] 19: may be outside of the array 'b'
			a[i] = 1;
}

void f(int n, double a[n], double b[n])
{
	double t[2] = { 1, 2, 3 }; // ERROR[E149] 24: do not fit the array 't'
	for (int i = 0; i < n; i++)
		a[i] = t[0];
}

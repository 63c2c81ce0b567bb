void f(int n, double a[n], double b[n])
{
	double t[n] = { 1 }; // ERROR[E149] 9: do not fit the array 't'
	for (int i = 0; i < n; i++)
		a[i] = t[0];
}

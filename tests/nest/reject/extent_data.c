void f(int n, const int m[1], double a[n])
{
	double t[m[0]]; // ERROR[E260] 11: extents must be
	for (int i = 0; i < n; i++)
		t[0] = a[i];
	a[0] = t[0];
}

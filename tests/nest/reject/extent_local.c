void f(int n, double a[n], double b[n])
{
	for (int i = 1; i < n; i++) {
		double t[i * n]; // ERROR[E260] 12: extents must be
		t[0] = b[i];
		a[i] = t[0];
	}
}

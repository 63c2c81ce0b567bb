void f(int n, double a[n], double b[n])
{
	double t[4];
	for (int i = 0; i < n; i++)
		t[i + 4] = 1; // ERROR[E265] 3: outside of the array 't'
	a[0] = t[0];
}

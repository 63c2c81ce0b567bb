void f(int n, int w, double a[n])
{
	int m = 2;
	for (int i = 0; i < n; i += m) { // ERROR[E145] 25: step is not a constant
		a[i] = 1;
		m = 3;
	}
	for (int i = 0; i < n; i += w) // ERROR[E145] 25: step is not a constant
		a[i] = 1;
}
